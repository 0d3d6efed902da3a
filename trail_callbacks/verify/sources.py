"""Reading sources whole: all at once if they fit, else in turns, and what no turn has read is said.

A turn shows the same passages for all claims that are still open, so a text is read once for all of them. The first
turn takes what is most likely to bear on any of the claims; further ones look for claims that are absent, or partially
supported, in what is left, beside the passages that were cited for them so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import NamedTuple, TypedDict

from trail_callbacks.claims import Claim, structured
from trail_callbacks.evidence import Passage, candidates, indexed, whole
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    OnePass,
    Opinion,
    Purpose,
    Question,
    matched,
    reads_whole,
)
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.tokens import count
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.options import VerifyOptions

_TURNS = 5  # in all, so that a claim that nothing supports costs at most five readings
_SHRINK = 4  # times that less is read at once because the model takes no more
_BLOCK = 120  # tokens of a stretch that is read or left as one; of 60 to 400 the best on planted runs
_LABEL = 4  # tokens of an id and a line break
_PICKS = 16  # passages for each claim that together cover it; others follow by score
_REQUEST = 1000  # characters of a request; a longer one carries material of its own, such as a pasted text
_CONVERSATION = 2000  # characters of earlier turns, the latest ones
_OFTEN = 0.25  # share of the passages in which a word tells nothing of what a text is about
_OPEN = frozenset({SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED})
_FOUND = frozenset({SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.PARTIALLY_SUPPORTED})


class Told(TypedDict):
    """What the claims of an answer are understood by: fields of `Question`."""

    asked: str
    answer: str
    conversation: str


def told(graph: ProvenanceGraph) -> Told:
    """Collects what the claims of a graph's answer are understood by."""
    answer = graph.answer
    before = [node for node in graph.upstream(answer.id) if _is_before(node, graph)] if answer else []
    lines = (f"{'ASSISTANT' if node.origin == 'model' else 'USER'}: {' '.join(node.text.split())}" for node in before)
    return Told(
        asked=request(graph),
        answer=answer.text if answer else "",
        conversation="\n".join(lines)[-_CONVERSATION:],
    )


def _is_before(node: Node, graph: ProvenanceGraph) -> bool:
    """Whether a message is of a turn before this one: another request, or a reply that was there before the run."""
    if node.kind == "question":
        return graph.question is not node
    return node.kind == "completion" and bool(node.attributes.get("history"))


def request(graph: ProvenanceGraph) -> str:
    """Returns what the user asked, as a judge is shown it: nothing if it is so long that it is shown as a source."""
    asked = graph.question
    return asked.text if asked and len(asked.text) <= _REQUEST else ""


def _material(leaves: Sequence[Node]) -> list[Node]:
    """What of some leaves is read first: no short request or prompt's wording, if anything else is there."""
    others = [leaf for leaf in leaves if leaf.origin != "template"]
    others = [leaf for leaf in others if leaf.kind != "question" or len(leaf.text) > _REQUEST]
    return others or list(leaves)


def informed(graph: ProvenanceGraph, leaves: Sequence[Node], judge: Judge, options: VerifyOptions) -> Pipeline[Judge]:
    """Asks a judge for claims and verdicts of an answer in one call, if both are suited."""
    about = told(graph)
    if not leaves or structured(about["answer"]) is not None or not isinstance(judge, OnePass):
        return judge
    sources = Sources([], _material(leaves), options.read_tokens)
    passages = sources.next([], ()) if sources.fit else ()
    if not passages:
        return judge
    opinion = yield from judge.judge_answer(about["answer"], about["asked"] or None, passages, about["conversation"])
    return judge if opinion is None else _Informed(judge, opinion, passages)


class _Informed:
    """A judge that knows the claims of one answer, and the verdicts on some."""

    def __init__(self, judge: Judge, opinion: Opinion, passages: tuple[Passage, ...]) -> None:
        self._judge, self._opinion, self._passages = judge, opinion, passages
        self.name, self.model = judge.name, judge.model
        self.reads_whole, self.wants_nearest = reads_whole(judge), getattr(judge, "wants_nearest", False)

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:  # noqa: ARG002 - both are known
        """The claims that are known."""
        yield from ()
        found = self._opinion.extraction
        return replace(found, warnings=(*found.warnings, *self._opinion.warnings))

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """The verdicts that are known, and the other judge's on the rest, or by other passages."""
        known = self._opinion.judged if purpose == "verdicts" else {}
        mine = [known.get(each.claim.id) if each.passages == self._passages else None for each in questions]
        rest = [question for question, own in zip(questions, mine, strict=True) if own is None]
        assessment = (yield from self._judge.assess(rest, purpose)) if rest else Assessment(judgements=())
        others = iter(matched(rest, assessment.judgements))
        return replace(assessment, judgements=tuple(own or next(others) for own in mine))


def read(
    claims: Sequence[Claim], leaves: Sequence[Node], judge: Judge, options: VerifyOptions, told: Told
) -> Pipeline[tuple[dict[str, Judgement], tuple[str, ...], tuple[str, ...]]]:
    """Judges claims by sources that are read whole, as far as `options.read_tokens` and a few turns allow.

    Returned are the judgements, their warnings, and what was not read for claims that are not supported.

    The wording of the app's prompts is mostly orders: of it only what may bear on a claim that the sources leave open
    is read, after them.
    """
    evidence = _material(leaves)
    known = {node.id for node in evidence}
    wording = [leaf for leaf in leaves if leaf.origin == "template" and leaf.id not in known]
    sources = Sources(claims, evidence, options.read_tokens)
    nearest = candidates(claims, [*evidence, *wording]) if getattr(judge, "wants_nearest", False) else {}
    judged: dict[str, Judgement] = {}
    seen: dict[str, set[str]] = {claim.id: set() for claim in claims}
    warnings: list[str] = []
    open_, turns, shrunk = list(claims), 0, 0
    while open_ and turns < _TURNS:
        before = [judged[claim.id] for claim in open_ if claim.id in judged]
        shown = (sources.bearing(wording, open_, before) if turns == 1 else ()) or sources.next(open_, before)
        if not shown and turns:
            break
        questions = [
            Question(claim=claim, passages=shown, nearest=nearest.get(claim.id, ()), **told) for claim in open_
        ]
        assessment = yield from judge.assess(questions)
        answers = matched(questions, assessment.judgements)
        if shrunk < _SHRINK and any(answer.too_long for answer in answers) and sources.shrink(shown):
            shrunk += 1
            continue
        warnings += assessment.warnings
        turns += 1
        for claim, answer in zip(open_, answers, strict=True):
            # That a claim is not found in a further turn either changes nothing.
            if claim.id not in judged or (answer.error is None and answer.support in _FOUND):
                judged[claim.id] = answer
            if answer.error is None:
                seen[claim.id].update(passage.id for passage in shown)
        if all(answer.error is not None for answer in answers):
            break
        open_ = [claim for claim in open_ if judged[claim.id].support in _OPEN]
    unread: dict[str, list[str]] = {}
    for id_, judgement in judged.items():
        if judgement.support in _OPEN and (left := sources.left(seen[id_])):
            judged[id_] = replace(judgement, rationale=f"{judgement.rationale} ({left}.)".strip())
            unread.setdefault(left, []).append(id_)
    lacking = tuple(f"not all sources were read for {', '.join(ids)}: {left}" for left, ids in unread.items())
    return judged, tuple(dict.fromkeys(warnings)), lacking


class _Block(NamedTuple):
    """A stretch of a text: passages `start` to `end`, with their tokens; `opening` is the first passage of the text."""

    start: int
    end: int
    opening: int
    tokens: int


class Sources:
    """What there is to read, and what of it was read."""

    def __init__(self, claims: Sequence[Claim], nodes: Sequence[Node], limit: int) -> None:
        self._claims, self._limit = claims, limit
        self._nodes, self._passages = nodes, whole(nodes)
        self._costs = [_LABEL + count(passage.text) + count(passage.address) for passage in self._passages]
        self.fit = sum(self._costs) <= limit  # all of it is read at once
        self._read: set[int] = set()  # blocks

    def next(self, claims: Sequence[Claim], judged: Iterable[Judgement]) -> tuple[Passage, ...]:
        """Returns what is to be read next, in the order of the sources; nothing if all was read.

        Args:
            claims: The claims that are still open.
            judged: What was said of them; the passages cited there are shown again.
        """
        if self.fit:
            shown = () if self._read else self._passages
            self._read.add(0)
            return shown
        if len(self._read) == len(self._blocks):
            return ()
        again = self._cited(judged)
        chosen = self._choose(claims, self._limit - sum(self._costs[i] for i in again))
        self._read.update(chosen)
        read = {i for n in chosen for i in range(self._blocks[n].start, self._blocks[n].end)}.union(again)
        beside = {i for n in chosen for i in self._beside(self._blocks[n])} - read
        return tuple(self._in_context[i] if i in read else self._passages[i] for i in sorted(read | beside))

    def bearing(
        self, nodes: Sequence[Node], claims: Sequence[Claim], judged: Iterable[Judgement]
    ) -> tuple[Passage, ...]:
        """Returns what of other texts shares a number, or two words that are rare in the sources, with an open claim.

        Passages that were cited for these claims come with it.
        """
        held = Counter(key for passage in self._passages if nodes for key in set(keys(passage.text)))
        often = max(1, len(self._passages) * _OFTEN)
        asked = [{key for key in keys(claim.text) if held[key] <= often or key[0].isdigit()} for claim in claims]
        bearing = [
            replace(passage, id=f"s{n}")
            for n, passage in enumerate(whole(nodes, context=True), len(self._passages) + 1)
            if any(map(_tells, map(set(keys(passage.text)).intersection, asked)))
        ]
        return (*(self._passages[i] for i in self._cited(judged)), *bearing) if bearing else ()

    def shrink(self, shown: Collection[Passage]) -> bool:
        """Takes note that the model can read only half as much at once; False if that is one block already."""
        if len(shown) <= 1 or self._limit <= _BLOCK:
            return False
        self._limit = min(self._limit, sum(_LABEL + count(passage.text) for passage in shown)) // 2
        self.fit = False
        ids = {passage.id for passage in shown}
        self._read -= {n for n in self._read if self._passages[self._blocks[n].start].id in ids}
        return True

    def left(self, seen: Collection[str]) -> str:
        """Says how much was read; nothing if all was."""
        known = [passage.id in seen for passage in self._passages]
        if all(known):
            return ""
        texts = {passage.node_id for passage in self._passages}
        touched = {passage.node_id for passage in self._passages if passage.id in seen}
        tokens = sum(cost for cost, here in zip(self._costs, known, strict=True) if here)
        share = 100 * tokens / sum(self._costs)
        return f"read {len(touched)} of {len(texts)} texts, {share:.0f} % of the tokens"

    def _cited(self, judged: Iterable[Judgement]) -> list[int]:
        cited = {(item.node_id, item.start, item.end) for judgement in judged for item in judgement.evidence}
        return [i for i, p in enumerate(self._passages) if cited and (p.node_id, p.start, p.end) in cited]

    def _beside(self, block: _Block) -> Iterator[int]:
        """What a stretch is understood by: the opening of its text, and the passages on both sides."""
        home = self._passages[block.opening].node_id
        for i in (block.opening, block.start - 1, block.end):
            if 0 <= i < len(self._passages) and self._passages[i].node_id == home:
                yield i

    def _choose(self, claims: Sequence[Claim], room: int) -> list[int]:
        """The blocks with the best passages for each claim in turn, then the first of the rest, while there is room."""
        chosen: dict[int, None] = {}
        shown: set[int] = set()
        queues = [self._ranked[claim.id] for claim in claims]
        in_turn = (n for n in chain.from_iterable(zip_longest(*queues)) if n is not None)
        for n in [*in_turn, *range(len(self._blocks))]:
            block = self._blocks[n]
            if n in self._read or n in chosen:
                continue
            cost = block.tokens + sum(self._costs[i] for i in self._beside(block) if i not in shown)
            if cost > room and chosen:
                continue
            chosen[n] = None
            shown.update(range(block.start, block.end), self._beside(block))
            room -= cost
        return list(chosen)

    @cached_property
    def _blocks(self) -> list[_Block]:
        blocks: list[_Block] = []
        opening = start = tokens = 0
        most = min(_BLOCK, self._limit)
        for i, passage in enumerate(self._passages):
            new = i > 0 and passage.node_id != self._passages[i - 1].node_id
            if i > start and (new or tokens + self._costs[i] > most):
                blocks.append(_Block(start, i, opening, tokens))
                start, tokens = i, 0
            opening = i if new else opening
            tokens += self._costs[i]
        if self._passages:
            blocks.append(_Block(start, len(self._passages), opening, tokens))
        return blocks

    @cached_property
    def _in_context(self) -> tuple[Passage, ...]:
        return whole(self._nodes, context=True)

    @cached_property
    def _ranked(self) -> dict[str, list[int]]:
        """The blocks for each claim, best first."""
        home = [n for n, block in enumerate(self._blocks) for _ in range(block.start, block.end)]
        index = indexed([claim.text for claim in self._claims], self._nodes)
        return {
            claim.id: list(dict.fromkeys(home[i] for i in [*ranked.picks.tolist(), *ranked.order.tolist()]))
            for claim, ranked in zip(self._claims, index.rank(_PICKS), strict=True)
        }


def _tells(shared: Collection[str]) -> bool:
    return len(shared) > 1 or any(key[0].isdigit() and len(key) > 1 for key in shared)
