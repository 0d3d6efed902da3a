"""What a question asks for and which lines meet it, from one reply of a language model; every id checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question, Survey
from trail_callbacks.judges.llm.asking import Heard, ask, watched
from trail_callbacks.judges.llm.layout import NOBODY, bare, candidates, line, passage_lines
from trail_callbacks.judges.llm.schema import FacetItem, SurveyReply, own
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.report.diagnosis import Facet, FacetKind

_ROOM = 1400  # tokens of a reply
_WEIGHTS = (1, 3)
_NONE = Failure("invalid", "the model gave no survey")


def survey(
    question: str, queries: Sequence[str], passages: Sequence[Passage], facets: Sequence[Facet]
) -> Pipeline[Survey]:
    """Surveys what some passages have of what a question asks for. See `Surveyor.survey`."""
    cut: list[str] = []
    labelled = candidates([("", Question(claim=NOBODY, passages=tuple(passages)))])[""]
    task = _Survey(question, tuple(queries), labelled, tuple(facets))
    (*_, found) = yield from watched(ask([task]), cut)
    return replace(found, warnings=tuple(cut))


@dataclass(frozen=True, slots=True)
class _Survey:
    """One call, with the lines by label; an `Inquiry`. Without facets the model is to find them."""

    question: str
    queries: tuple[str, ...]
    passages: Mapping[str, Passage]
    facets: tuple[Facet, ...]

    def call(self, note: str) -> Call:
        shown = passage_lines(self.passages)
        queries = "\n".join(f"- {line(query)}" for query in self.queries)
        wanted = "\n".join(f"[{each.id}] {line(each.text)}" for each in self.facets)
        sources, fence = Fence(shown), Fence(shown, self.question, queries, wanted)
        return Call(
            messages=load("survey").messages(
                passages=sources.block("PASSAGES", shown),
                question=fence.block("QUESTION", line(self.question)),
                queries=fence.block("QUERIES SENT", queries) if queries else "",
                facets=fence.block("FACETS", wanted) if wanted else "",
                note=note,
            ),
            schema=SurveyReply,
            purpose="survey",
            max_tokens=_ROOM,
        )

    def read(self, reply: Reply) -> Heard[Survey]:
        value = reply.value
        if isinstance(value, SurveyReply) and reply.failure is None:
            texts = [self.question, *self.queries, *(passage.text for passage in self.passages.values())]
            items = own(value.facets, texts, FacetItem)
            if items or self.facets:
                return Heard(self._survey(value, items))
        failure = reply.failure or _NONE
        note = f"An earlier answer could not be used: {failure.detail}"
        return Heard(Survey(error=str(failure)), self, failure, Survey(error=str(failure)), note)

    def smaller(self, _: Failure) -> Sequence[_Survey]:
        return ()

    def _survey(self, value: SurveyReply, items: Sequence[FacetItem]) -> Survey:
        given = {each.id: each for each in self.facets}
        found: dict[str, Facet] = dict(given)
        met: dict[str, tuple[Passage, ...]] = {}
        named: dict[str, bool] = {}
        for n, item in enumerate(items, 1):
            id_ = bare(item.id) if given else f"f{n}"
            if (given and id_ not in given) or not (given or item.text.strip()):
                continue
            kind = cast("FacetKind", item.kind) if item.kind in get_args(FacetKind) else "topic"
            weight = min(max(item.weight, _WEIGHTS[0]), _WEIGHTS[1])
            found.setdefault(id_, Facet(id=id_, text=line(item.text), kind=kind, weight=float(weight)))
            met[id_] = self._known(item.passages)
            if item.in_query is not None and self.queries:
                named[id_] = item.in_query
        return Survey(
            facets=tuple(found.values()),
            met=met,
            in_query=named,
            answers=tuple(lines for ids in value.answers if (lines := self._all(ids))),
            missing=line(value.missing),
            conflicts=tuple(
                (lines[0], lines[1])
                for ids in value.conflicts
                if len(lines := self._all(ids)) >= 2  # noqa: PLR2004 - a pair
            ),
        )

    def _known(self, ids: Iterable[str]) -> tuple[Passage, ...]:
        return tuple(self.passages[label] for label in dict.fromkeys(map(bare, ids)) if label in self.passages)

    def _all(self, ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of some ids; nothing if one of them does not exist, since they only count together."""
        lines = self._known(ids)
        return lines if len(lines) == len({bare(each) for each in ids}) else ()
