"""A model that knows the truth about one run: it shows what the plumbing of a verification loses, and what it costs.

It answers from gold labels, and it can only use what a prompt shows it: ids are taken from the prompt's structure, claims
and passages are recognised by their words. So where the evidence is not among the passages shown, it cannot point to it,
and a verdict gets lost as it would with a perfect model. What it could not do is counted in `misses`.

What the labels leave open is filled in as follows. Every intermediate output between the evidence of a supported claim
and the answer carries it, in the sentence that shares most with it; likewise the one that states an unsupported claim does so. One that does not state an unsupported claim bears
on it if evidence of the claim is upstream of it and a sentence of it shares enough words with the claim. A passage states an unsupported claim only if every text of the run that holds it word for word is one
that states the claim: otherwise the words that make the claim are elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from trail_callbacks.claims import Claim, split
from trail_callbacks.graph import EVIDENCE_KINDS, Edge, Node, ProvenanceGraph
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.judges.llm_layout import line as one_line
from trail_callbacks.models.call import Reply, Usage
from trail_callbacks.prompts import neutral
from trail_callbacks.text import forms, locate, sentences

UNSUPPORTED = frozenset({"contradicted", "absent", "partially_supported"})
SHOWN = ("PASSAGES", "TEXTS")  # the blocks of a prompt that show passages
OUTPUTS = frozenset({"completion"})
ENOUGH = 0.25  # share of a claim's words by which an intermediate output is taken to speak about it
TOUCH = 8  # signs that a passage and a quote share at least, unless one of them is shorter

_FENCED = re.compile(r"<<<([A-Z ]+) (\w+)>>>\n(.*?)\n<<<END \1 \2>>>", re.DOTALL)
_ITEM = re.compile(r"\[([\w.-]+)\]\s*(.*)")
_TEXT = re.compile(r"Text ([A-Z]+)\b")
_ID = re.compile(r"[\w.-]+")
_ADDRESS = re.compile(r"\([^)]*\) ")  # where in a table or JSON a passage stands


@dataclass(frozen=True)
class Fact:
    """One gold claim.

    `states` are the nodes that state it, the answer included, where it is unsupported; `also` are those of them from
    which it did not get into the answer. `faults` are its parts with the nodes that state each, where it came in at
    several places. `words` says, as far as that is known, in which words the claim or a part of it is stated:
    `(claim or part, node, sentence)`.
    """

    id: str
    text: str
    quote: str
    support: str
    error_type: str | None = None
    introduced_at: str | None = None
    carried_through: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    faults: tuple[tuple[str, frozenset[str]], ...] = ()
    also: frozenset[str] = frozenset()
    words: tuple[tuple[str, str, str], ...] = ()

    @property
    def states(self) -> frozenset[str]:
        return frozenset({self.introduced_at, *self.carried_through, *self.also} - {None})

    @property
    def checkable(self) -> bool:
        return self.support != "unevaluatable"


@dataclass(frozen=True)
class Run:
    """A run with its gold claims."""

    id: str
    graph: ProvenanceGraph
    facts: tuple[Fact, ...]
    shape: str = ""
    language: str = "en"

    @cached_property
    def plain(self) -> dict[str, str]:
        """The text of each node as a prompt shows it: blanks joined, nothing that looks like a fence."""
        return {node.id: line(node.text) for node in self.graph.nodes}

    @cached_property
    def above(self) -> dict[str, frozenset[str]]:
        """All nodes upstream of each node, itself included."""
        return {n.id: frozenset({n.id, *(u.id for u in self.graph.upstream(n.id))}) for n in self.graph.nodes}

    @cached_property
    def weights(self) -> dict[str, float]:
        """How telling a word is: the rarer in the sentences of this run, the more."""
        found = Counter(
            form for node in self.graph.nodes for part in sentences(node.text) for form in set(forms(part.text))
        )
        return {form: 1 / count for form, count in found.items()}

    def overlap(self, claim: str, text: str) -> float:
        """Weight of the words that both have."""
        return sum(self.weights.get(form, 1.0) for form in set(forms(claim)) & set(forms(text)))

    def homes(self, passage: str) -> frozenset[str]:
        """The nodes that hold a passage word for word."""
        return frozenset(id_ for id_, text in self.plain.items() if passage and passage in text)


def line(text: str) -> str:
    """A text as the prompts show it."""
    return neutral(one_line(text))


def read_run(row: dict) -> Run:
    """Makes a run of one line of a file of planted faults."""
    nodes = [Node(id="question", kind="question", text=row["question"], step="user")]
    edges = [Edge(source="question", target=row["answer_id"])]
    for node in row["nodes"]:
        kind = "answer" if node["id"] == row["answer_id"] else node["kind"]
        nodes.append(Node(id=node["id"], kind=kind, text=node["text"], step=node["step"]))
        edges += [Edge(source=source, target=node["id"]) for source in dict.fromkeys(node["inputs"])]
    facts = tuple(
        Fact(
            id=claim["id"], text=claim["text"], quote=claim["quote"], support=claim["support"],
            error_type=claim["error_type"], introduced_at=claim["introduced_at"],
            carried_through=tuple(claim["carried_through"]),
            evidence=tuple((item["node"], item["quote"]) for item in claim["evidence"]),
            faults=tuple((fault["text"], frozenset(fault["states"])) for fault in claim.get("faults", ())),
        )
        for claim in row["claims"]
    )  # fmt: skip
    graph = ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
    return Run(id=row["id"], graph=graph, facts=facts, shape=row["shape"], language=row["language"])


def read_runs(path: Path) -> list[Run]:
    return [read_run(json.loads(row)) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]


class GoldClaims:
    """A judge that is given the gold claims, so that judging is measured apart from extraction.

    Whether a claim can be checked is not given away: the rule-based splitter says so.
    """

    def __init__(self, judge, run: Run) -> None:
        self._judge, self._run = judge, run
        self.name, self.model, self.assess = f"{judge.name} with gold claims", judge.model, judge.assess
        for ability in ("decompose", "select"):
            if hasattr(judge, ability):
                setattr(self, ability, getattr(judge, ability))

    def extract(self, answer: str, question: str | None):
        yield from ()
        return Extraction(claims=tuple(self._claim(fact, answer) for fact in self._run.facts))

    def _claim(self, fact: Fact, answer: str) -> Claim:
        start, end = locate(fact.quote, answer) or (0, 0)
        checkable = any(piece.checkable for piece in split(fact.text))
        return Claim(id=fact.id, text=fact.text, quote=answer[start:end], start=start, end=end, checkable=checkable)


@cache
def tokenizer():
    """The tokens of cl100k_base, from the copy of its table that llama-index-core ships: nothing is downloaded."""
    from importlib.util import find_spec

    core = find_spec("llama_index.core")
    folder = Path(core.origin).parent / "_static" / "tiktoken_cache" if core and core.origin else None
    if folder is None or not folder.is_dir():
        raise RuntimeError('counting tokens needs the table in llama-index-core: pip install "llama-index-core>=0.12"')
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("cl100k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return encoding


def tokens(text: str) -> int:
    return len(tokenizer().encode(text, disallowed_special=()))


@dataclass(frozen=True)
class Shown:
    """What a prompt shows: claims under their ids, and passages with the nodes that may hold them."""

    claims: dict[str, tuple[str, frozenset[str]]]  # text as shown, ids of the passages it may be judged by
    passages: dict[str, str]
    homes: dict[str, frozenset[str]]
    groups: tuple[tuple[str, ...], ...]  # ids of passages that stand under one text


@dataclass
class Tally:
    """What one purpose cost."""

    calls: int = 0
    prompt: int = 0
    system: int = 0  # the part of `prompt` that is the same in every call
    context: int = 0  # the part of `prompt` that shows passages: their words, ids and neighbours
    schema: int = 0  # the JSON schema, which a provider may or may not count as prompt; not part of `prompt`
    completion: int = 0


@dataclass
class OracleModel:
    """Answers the calls of an `LLMJudge` about one run from its labels.

    `misses` are what it knew and could not say: `(what, claim id)`; `tallies` are the costs by purpose.
    """

    run: Run
    name: str = "oracle"
    misses: list[tuple[str, str]] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    _summaries: dict[str, set[str]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)  # protects all of the above: calls of a batch come on several threads

    def ask(self, call) -> Reply:
        answers = {
            "claims": self._claims, "verdicts": self._verdicts, "localize": self._localize,
            "answerable": self._answerable, "decompose": self._decompose, "select": self._select,
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
                return Reply(
                    error=f"failed: no oracle for {call.purpose!r}", usage=Usage(calls=1, prompt_tokens=prompt)
                )
            answer = answers[call.purpose](call.messages[-1].content)
            try:
                value = call.schema.model_validate(answer)
            except ValidationError as error:
                return Reply(error=f"invalid: {error}", usage=Usage(calls=1, prompt_tokens=prompt))
            written = tokens(value.model_dump_json())
            tally.completion += written
        return Reply(value=value, usage=Usage(calls=1, prompt_tokens=prompt, completion_tokens=written))

    async def aask(self, call) -> Reply:
        return self.ask(call)

    def total(self, part: str) -> int:
        """One part of all tallies."""
        return sum(getattr(tally, part) for tally in self.tallies.values())

    # One answer a purpose.

    def _claims(self, prompt: str) -> dict:
        window = blocks(prompt).get("ANSWER", "")
        found = [fact for fact in self.run.facts if neutral(fact.quote) in window]
        return {
            "abstained": False,
            "claims": [{"quote": f.quote, "claim": f.text, "checkable": f.checkable, "unresolved": ""} for f in found],
        }

    def _decompose(self, prompt: str) -> dict:
        stated = _items(blocks(prompt).get("STATEMENTS", ""))
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
        """The gold claim, the one with this part, or the one with this quote: a judge may distrust a claim's own words."""
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
        """The passages that speak for or against a claim: gold evidence, and what outputs say on the matter."""
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
        """The gold evidence that a passage holds, or a good part of it."""
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
        """For each text that states a claim, the passage of it that does."""
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
        """Whether a passage of one of some nodes is the one by which it states a claim."""
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
        """Reads a prompt that shows passages of some kinds of nodes."""
        fenced = blocks(prompt)
        able = frozenset(node.id for node in self.run.graph.nodes if node.kind in kinds)
        groups = _groups("\n\n".join(fenced.get(name, "") for name in SHOWN), self._homes)
        passages = {id_: text for _, group in groups for id_, text in group.items()}
        homes: dict[str, frozenset[str]] = {}
        for _, group in groups:
            known = [self._homes(text) & able for text in group.values()]
            common = frozenset.intersection(*known) if known else frozenset()
            homes |= dict.fromkeys(group, common) if common else dict(zip(group, known, strict=True))
        letters = {name: set(group) for name, group in groups if name}
        claims = {}
        for key, shown in _items(fenced.get("CLAIMS", "")).items():
            text = self._claim_text(shown)
            head = set(_ID.findall(shown[: len(shown) - len(text)]))
            named = {*(head & passages.keys()), *(id_ for name in head & letters.keys() for id_ in letters[name])}
            claims[key] = (text, frozenset(named or passages))
        homes = _apart(groups, homes)
        together: list[tuple[str, ...]] = []
        for _, group in groups:
            same = len({homes[id_] for id_ in group}) == 1
            together += [tuple(group)] if same else [(id_,) for id_ in group]
        return Shown(claims=claims, passages=passages, homes=homes, groups=tuple(together))

    def _homes(self, passage: str) -> frozenset[str]:
        return self.run.homes(passage) or frozenset(self._summaries.get(passage, ()))

    def _claim_text(self, shown: str) -> str:
        """The claim at the end of a line, behind what the line says about its candidates."""
        known = (text for text in (*self._by_text, *self._by_quote) if shown.endswith(text))
        return max(known, key=len, default=shown)


def blocks(prompt: str) -> dict[str, str]:
    """The fenced parts of a prompt, by name."""
    return {match[1]: match[3] for match in _FENCED.finditer(prompt)}


def _items(block: str) -> dict[str, str]:
    """The lines of a block that begin with an id."""
    return {match[1]: match[2] for row in block.splitlines() if (match := _ITEM.match(row))}


def _groups(block: str, homes) -> list[tuple[str, dict[str, str]]]:
    """The texts of a block, apart from each other, with their letters and passages; addresses are left out."""
    groups: list[tuple[str, dict[str, str]]] = [("", {})]
    for row in block.splitlines():
        named = _TEXT.match(row)
        if named or not row.strip():
            groups.append((named[1] if named else "", {}))
        elif match := _ITEM.match(row):
            groups[-1][1][match[1]] = match[2] if homes(match[2]) else _ADDRESS.sub("", match[2], count=1)
    return [(name, group) for name, group in groups if group]


def _apart(groups, homes: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Two groups show two nodes: what is known of one narrows down the others."""
    homes = dict(homes)
    for _ in groups:
        sure = {h for _, group in groups if len(h := homes[next(iter(group))]) == 1}
        taken = frozenset().union(*sure) if sure else frozenset()
        for _, group in groups:
            for id_ in group:
                if len(homes[id_]) > 1 and homes[id_] - taken:
                    homes[id_] -= taken
    return homes


def _item(key: str, support: str, error_type=None, faults=(), *, supporting=(), contradicting=()) -> dict:
    pointed = ", ".join((*supporting, *contradicting))
    wrong = support in UNSUPPORTED
    return {
        "claim": key,
        "supporting": list(supporting),
        "contradicting": list(contradicting),
        "comparison": f"What decides is in {pointed}." if pointed else "No passage speaks about this.",
        "support": support,
        "analysis": "The claim departs from what the passages say." if wrong else "none",
        "faults": [text for text, _ in faults] if wrong else [],
        "error_type": (error_type or "other") if wrong else "none",
        "second_type": "none",
        "detail": "none",
    }


if __name__ == "__main__":
    print("a part of planted.py, localisation_shapes.py and cost_table.py; measures nothing by itself", file=sys.stderr)
