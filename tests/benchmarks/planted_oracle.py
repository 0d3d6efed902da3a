"""A model that knows the truth about one run: it shows what the pipeline of a verification loses and costs.

It answers from gold labels, but only uses what a prompt shows: ids are read from the prompt's structure, claims and
passages are recognised by their words. So if the evidence is not among the passages shown, it cannot cite it, and the
verdict is lost as it would be with a perfect model. What it knew but could not cite is counted in `misses`.

Gaps in the labels are filled as follows:

- Every intermediate output between the evidence of a supported claim and the answer carries the claim.
- An output that states or carries a claim does so in the sentence that shares most words with it, weighted by rarity.
  For an unsupported claim, sentences that also occur in a text that does not state it are ignored.
- An output that does not state an unsupported claim is relevant to it if evidence of the claim is upstream and one of its
  sentences shares enough words with it.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from gold_runs import UNSUPPORTED, Fact, Run, line
from planted_prompts import Shown, apart, blocks, groups_of, items, tokens
from pydantic import ValidationError

from trail_callbacks.graph import EVIDENCE_KINDS
from trail_callbacks.judges.prompts import neutral
from trail_callbacks.models import Failure, Reply, Usage
from trail_callbacks.text import forms, sentences

SHOWN = ("PASSAGES", "TEXTS")  # the blocks of a prompt that show passages
OUTPUTS = frozenset({"completion"})
ENOUGH = 0.25  # share of a claim's words from which an intermediate output is relevant to it
TOUCH = 8  # characters that a passage and a quote share at least, unless one of them is shorter

_ID = re.compile(r"[\w.-]+")


@dataclass
class Tally:
    """The cost of one purpose."""

    calls: int = 0
    prompt: int = 0
    system: int = 0  # the part of `prompt` that is the same in every call
    context: int = 0  # the part of `prompt` that shows passages: their words, ids and neighbours
    schema: int = 0  # the JSON schema, which a provider may or may not count as prompt; not part of `prompt`
    completion: int = 0


@dataclass
class OracleModel:
    """Replies to the calls of an `LLMJudge` about one run from its labels.

    `misses` are what it knew but could not cite: `(what, claim id)`; `tallies` are the costs by purpose.
    """

    run: Run
    name: str = "oracle"
    misses: list[tuple[str, str]] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    _summaries: dict[str, set[str]] = field(default_factory=dict)
    _lock: Lock = field(
        default_factory=Lock
    )  # protects all of the above: the calls of a batch arrive on several threads

    def ask(self, call) -> Reply:
        answers = {
            "claims": self._claims, "verdicts": self._verdicts, "localize": self._localize,
            "answerable": self._answerable, "decompose": self._decompose, "select": self._select,
            "onepass": self._onepass,
        }  # fmt: skip
        with self._lock:
            prompt = sum(tokens(message.content) for message in call.messages)
            tally = self.tallies.setdefault(call.purpose, Tally())
            tally.calls += 1
            tally.prompt += prompt
            tally.system += sum(tokens(message.content) for message in call.messages if message.role == "system")
            fenced = blocks(call.messages[-1].content)
            tally.context += sum(tokens(fenced.get(name, "")) for name in SHOWN)
            tally.schema += tokens(json.dumps(call.schema.model_json_schema()))
            if call.purpose not in answers:
                failure = Failure("failed", f"no oracle for {call.purpose!r}")
                return Reply(failure=failure, usage=Usage(calls=1, prompt_tokens=prompt))
            answer = answers[call.purpose](call.messages[-1].content)
            try:
                value = call.schema.model_validate(answer)
            except ValidationError as error:
                return Reply(failure=Failure("invalid", str(error)), usage=Usage(calls=1, prompt_tokens=prompt))
            written = tokens(value.model_dump_json(exclude_unset=True))
            tally.completion += written
        return Reply(value=value, usage=Usage(calls=1, prompt_tokens=prompt, completion_tokens=written))

    async def aask(self, call) -> Reply:
        return self.ask(call)

    def total(self, part: str) -> int:
        """One part of all tallies."""
        return sum(getattr(tally, part) for tally in self.tallies.values())

    # One answer a purpose.

    def _made(self, prompt: str) -> list[Fact]:
        window = blocks(prompt).get("ANSWER", "")
        return [fact for fact in self.run.facts if neutral(fact.quote) in window]

    def _claims(self, prompt: str) -> dict:
        found = self._made(prompt)
        return {
            "abstained": False,
            "claims": [{"quote": f.quote, "claim": f.text, "checkable": f.checkable} for f in found],
        }

    def _onepass(self, prompt: str) -> dict:
        shown, claims = self._shown(prompt), []
        for fact in self._made(prompt):
            verdict = self._verdict(fact.text, line(fact.text), frozenset(shown.passages), shown)
            reason = {"comparison": "No passage voices it."} if fact.checkable else {}
            weighed = reason if fact.support == "unevaluatable" else {}
            claim = {"claim": "" if fact.text == fact.quote else fact.text}
            written = {**verdict, **weighed, **claim, "quote": fact.quote}
            claims.append({name: value for name, value in written.items() if value})  # as the prompt asks
        return {"abstained": False, "claims": claims}

    def _decompose(self, prompt: str) -> dict:
        stated = items(blocks(prompt).get("STATEMENTS", ""))
        return {"claims": [{"claim": key, "parts": [text]} for key, text in stated.items()]}

    def _select(self, prompt: str) -> dict:
        shown = self._shown(prompt)
        found = []
        for key, (text, allowed) in shown.claims.items():
            fact = self._fact(text)
            by_text: dict[frozenset[str], list[str]] = {}
            for id_ in self._bearing(fact, shown, allowed) if fact else ():
                by_text.setdefault(shown.homes[id_], []).append(id_)
            for homes, ids in by_text.items():
                summary = " ".join(shown.passages[id_] for id_ in ids)[:800]  # as long as the schema lets it be
                self._summaries.setdefault(line(summary), set()).update(homes)
                found.append({"claim": key, "text": "", "sentences": ids, "summary": summary})
        return {"found": found}

    def _verdicts(self, prompt: str) -> dict:
        shown = self._shown(prompt)
        return {"verdicts": [self._verdict(key, *asked, shown) for key, asked in shown.claims.items()]}

    def _localize(self, prompt: str) -> dict:
        shown, verdicts = self._shown(prompt, OUTPUTS), []
        for key, (text, allowed) in shown.claims.items():
            fact = self._fact(text)
            ids = self._stating(text, self._states(fact, text), shown, allowed) if fact else []
            comparison = f"The claim is stated by {', '.join(ids)}." if ids else "None of the passages states this."
            verdicts.append({"claim": key, "comparison": comparison, "evidence": ids, "stated": bool(ids)})
        return {"verdicts": verdicts}

    def _answerable(self, prompt: str) -> dict:
        shown, verdicts = self._shown(prompt), []
        for key, (_, allowed) in shown.claims.items():
            ids = [i for i in allowed if any(self._quoted(fact, shown, i) for fact in self.run.facts)]
            comparison = f"The question is answered by {', '.join(ids)}." if ids else "No passage answers it."
            verdicts.append({"claim": key, "comparison": comparison, "evidence": ids, "stated": bool(ids)})
        return {"verdicts": verdicts}

    def _verdict(self, key: str, text: str, allowed: frozenset[str], shown: Shown) -> dict:
        fact = self._fact(text)
        if fact is None:
            return _item(key, "unevaluatable")
        bearing = self._bearing(fact, shown, allowed)
        if fact.support == "supported" and bearing:
            quoted = {quote for i in bearing for quote in self._quoted(fact, shown, i)}
            if len(quoted) < len(fact.evidence) and all(self._quoted(fact, shown, i) for i in bearing):
                self.misses.append(("part of the evidence was not shown", fact.id))
            return _item(key, "supported", supporting=bearing)
        stating = [i for i in bearing if shown.homes[i] and shown.homes[i] <= fact.states]
        if stating:
            return _item(key, "supported", supporting=stating)
        if fact.support in {"absent", "unevaluatable"}:
            return _item(key, fact.support, fact.error_type, fact.faults)
        if not bearing:
            self.misses.append((f"no evidence was shown for a claim that is {fact.support}", fact.id))
            return _item(key, "absent", fact.error_type or "other", fact.faults)
        side = "contradicting" if fact.support == "contradicted" else "supporting"
        return _item(key, fact.support, fact.error_type, fact.faults, **{side: bearing})

    # What is known about a claim and a passage.

    def _fact(self, text: str) -> Fact | None:
        """The gold claim with this text, this part or this quote: a judge may reword a claim."""
        for facts in (self._by_text, self._by_quote):
            if text in facts:
                return facts[text]
        self.misses.append(("a claim was not recognised", text))
        return None

    @cached_property
    def _by_text(self) -> dict[str, Fact]:
        return {line(text): fact for fact in self.run.facts for text in (fact.text, *(part for part, _ in fact.faults))}

    @cached_property
    def _by_quote(self) -> dict[str, Fact]:
        shared = Counter(fact.quote for fact in self.run.facts)
        return {line(fact.quote): fact for fact in self.run.facts if shared[fact.quote] == 1}

    def _states(self, fact: Fact, text: str) -> frozenset[str]:
        return next((states for fault, states in fact.faults if text == line(fault)), fact.states)

    def _bearing(self, fact: Fact, shown: Shown, allowed: frozenset[str]) -> list[str]:
        """The passages that support or contradict a claim: gold evidence, and relevant sentences of outputs."""
        quoted = {i for i in allowed if self._quoted(fact, shown, i)}
        stating = set(self._stating(line(fact.text), fact.states, shown, allowed, complain=False))
        reflecting = {
            best
            for group in shown.groups
            for best in self._best(fact.text, [i for i in group if i in allowed], shown)
            if not shown.homes[best] & fact.states and self._reflects(fact, shown.homes[best], shown.passages[best])
        }
        return [i for i in shown.passages if i in quoted | stating | reflecting]

    def _quoted(self, fact: Fact, shown: Shown, id_: str) -> set[tuple[str, str]]:
        """The gold evidence that a passage contains, or contains a large part of."""
        passage = shown.passages[id_]
        found = set()
        for node, quote in fact.evidence:
            if node not in shown.homes[id_]:
                continue
            text, wanted = self.run.plain[node], line(quote)
            start, at = text.find(wanted), text.find(passage)
            shared = min(start + len(wanted), at + len(passage)) - max(start, at)
            if start >= 0 and at >= 0 and shared >= min(TOUCH, len(wanted), len(passage)):
                found.add((node, quote))
        return found

    def _stating(
        self, text: str, states: frozenset[str], shown: Shown, allowed: frozenset[str], *, complain: bool = True
    ) -> list[str]:
        """For each text that states a claim, the passage that does so."""
        stating: list[str] = []
        for group in shown.groups:
            mine = [i for i in group if i in allowed]
            homes = shown.homes[group[0]]
            if not mine or not homes & states:
                continue
            able = [i for i in mine if self._says(text, shown.passages[i], homes & states, states)]
            stating += self._best(text, able, shown)
            if complain and homes <= states and not able:
                self.misses.append((f"of {', '.join(sorted(homes))} no sentence that states it was shown", text))
        return stating

    def _says(self, text: str, passage: str, nodes: frozenset[str], states: frozenset[str]) -> bool:
        """Whether a passage is the one by which one of the nodes states a claim."""
        if passage in self._summaries:
            return True
        if not self.run.homes(passage) <= states:
            return False
        return any(
            passage in words or words in passage for node in nodes for words in self._wording(text, node, states)
        )

    def _wording(self, text: str, node: str, states: frozenset[str]) -> list[str]:
        """The sentence by which a node states a claim; several if the labels leave open which."""
        known = [
            line(words)
            for fact in self.run.facts
            for statement, id_, words in fact.words
            if id_ == node and line(statement) == text
        ]
        own = [line(sentence.text) for sentence in sentences(self.run.graph.node(node).text)]
        able = [part for part in known or own if self.run.homes(part) <= states]
        scores = [self.run.overlap(text, part) for part in able]
        return [part for part, score in zip(able, scores, strict=True) if score == max(scores)]

    def _best(self, text: str, ids: list[str], shown: Shown) -> list[str]:
        scored = [(self.run.overlap(text, shown.passages[i]), i) for i in ids]
        return [max(scored, key=lambda pair: pair[0])[1]] if scored else []

    def _reflects(self, fact: Fact, homes: frozenset[str], passage: str) -> bool:
        if any(self.run.graph.node(id_).kind in EVIDENCE_KINDS for id_ in homes):
            return False
        sources = {node for node, _ in fact.evidence}
        if not any(self.run.above[id_] & sources for id_ in homes):
            return False
        if fact.support == "supported":
            return True
        words = {form for form in forms(fact.text) if len(form) > 3 or form.isdigit()}
        return len(words & set(forms(passage))) >= ENOUGH * len(words)

    # What a prompt shows.

    def _shown(self, prompt: str, kinds=frozenset({*EVIDENCE_KINDS, *OUTPUTS})) -> Shown:
        """Parses a prompt that shows passages of some kinds of nodes."""
        fenced = blocks(prompt)
        able = frozenset(node.id for node in self.run.graph.nodes if node.kind in kinds)
        groups = groups_of("\n\n".join(fenced.get(name, "") for name in SHOWN), self._homes)
        passages = {id_: text for _, group in groups for id_, text in group.items()}
        homes: dict[str, frozenset[str]] = {}
        for _, group in groups:
            known = [self._homes(text) & able for text in group.values()]
            common = frozenset.intersection(*known) if known else frozenset()
            homes |= dict.fromkeys(group, common) if common else dict(zip(group, known, strict=True))
        letters = {name: set(group) for name, group in groups if name}
        claims = {}
        for key, shown in items(fenced.get("CLAIMS", "")).items():
            text = self._claim_text(shown)
            head = set(_ID.findall(shown[: len(shown) - len(text)]))
            named = {*(head & passages.keys()), *(id_ for name in head & letters.keys() for id_ in letters[name])}
            claims[key] = (text, frozenset(named or passages))
        homes = apart(groups, homes)
        together: list[tuple[str, ...]] = []
        for _, group in groups:
            same = len({homes[id_] for id_ in group}) == 1
            together += [tuple(group)] if same else [(id_,) for id_ in group]
        return Shown(claims=claims, passages=passages, homes=homes, groups=tuple(together))

    def _homes(self, passage: str) -> frozenset[str]:
        return self.run.homes(passage) or frozenset(self._summaries.get(passage, ()))

    def _claim_text(self, shown: str) -> str:
        """The claim at the end of a line, after its list of candidates."""
        known = (text for text in (*self._by_text, *self._by_quote) if shown.endswith(text))
        return max(known, key=len, default=shown)


def _item(key: str, support: str, error_type=None, faults=(), *, supporting=(), contradicting=()) -> dict:
    found = {"claim": key, "supporting": list(supporting), "contradicting": list(contradicting)}
    if support not in UNSUPPORTED:
        return {**found, "support": support}
    pointed = ", ".join((*supporting, *contradicting))
    decides = f"What decides is in {pointed}." if pointed else "No passage speaks about this."
    return {
        **found,
        "comparison": f"{decides} The claim departs from what the passages say.",
        "support": support,
        "faults": [text for text, _ in faults],
        "error_type": error_type or "other",
    }


if __name__ == "__main__":
    print("a part of planted.py and cost_table.py; measures nothing by itself", file=sys.stderr)
