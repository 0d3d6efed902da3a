"""Every function that reads a text from outside, as a function of that text alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from trail_callbacks import (
    Claim,
    Edge,
    ErrorType,
    Evidence,
    LLMJudge,
    Node,
    ProvenanceGraph,
    Report,
    SupportClass,
    Verdict,
    VerifyOptions,
    check,
    verify,
    veritrail,
)
from trail_callbacks.canary import Corpus, Document, Probe
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.echoes import Echoes, arguments, is_dialogue, transcript_spans
from trail_callbacks.capture.events import Event, Piece, RunEnded, RunKind, RunStarted
from trail_callbacks.capture.match import Text, TextIndex, arrived, longest_first, overlap, values
from trail_callbacks.capture.payloads import exact_text, fields_text, scalars, without_feedback
from trail_callbacks.capture.redaction import Redactor, bare
from trail_callbacks.claims import abstains
from trail_callbacks.context_filter import ContextFilter
from trail_callbacks.context_filter.instructions import instruction
from trail_callbacks.diagnosis import verified
from trail_callbacks.diagnosis.index import Index
from trail_callbacks.errors import TrailError
from trail_callbacks.evidence import candidates, whole
from trail_callbacks.evidence.labels import labelled
from trail_callbacks.evidence.library import Library, attach
from trail_callbacks.evidence.marks import marks, references
from trail_callbacks.evidence.spans import spans, tables
from trail_callbacks.export import to_csv, to_evaluation_lines, to_mermaid, to_otlp, to_prov_json, to_test
from trail_callbacks.guard.feedback import feedback
from trail_callbacks.guard.guard import ReadMessage, ended_at, message_nodes
from trail_callbacks.judges.llm import claims, layout, schema
from trail_callbacks.judges.prompts import Fence, neutral
from trail_callbacks.language.detect import is_english, language, limits
from trail_callbacks.language.speech import declines, greets, is_question, is_statement, refuses
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.language.values import calendar_dates, measures
from trail_callbacks.models import salvage
from trail_callbacks.models.call import Budget, Reply
from trail_callbacks.models.drive import drive
from trail_callbacks.models.provider_error import failure_of, redact
from trail_callbacks.models.tokens import count
from trail_callbacks.redaction import presets
from trail_callbacks.render import excerpt
from trail_callbacks.render.excerpt import around, both_ends
from trail_callbacks.render.notebook import graph_to_fragment, to_fragment
from trail_callbacks.render.page import to_page
from trail_callbacks.render.terminal import graph_to_text, to_text
from trail_callbacks.report.comparison import compare
from trail_callbacks.report.withheld import text_hash, without_texts
from trail_callbacks.splitting.clauses import parts
from trail_callbacks.splitting.code import code_spans
from trail_callbacks.splitting.fields import structure
from trail_callbacks.splitting.json_fields import blocks, regions
from trail_callbacks.splitting.layout import pieces, sentences_of
from trail_callbacks.splitting.marks import clean, is_reference, refers, visible
from trail_callbacks.splitting.statements import asserts, is_lead_in, is_title, stated, statements
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.text import encodable, fingerprint, forms, locate, outside, sentences, words
from trail_callbacks.trace import Trace, save
from trail_callbacks.trace import read as read_traces
from trail_callbacks.trace.context import given_versions
from trail_callbacks.trace.recorded import recorded
from trail_callbacks.verify.estimate import estimate
from trail_callbacks.verify.unclaimed import unclaimed

_OTHER = "The ferry to Skogholm leaves at nine and takes forty minutes; in winter it leaves at ten. " * 8


def _claim(answer: str) -> Claim:
    end = min(len(answer), 60)
    return Claim(id="c1", text=answer[:end] or "-", quote=answer[:end], start=0, end=end)


def _perturbed(text: str) -> None:
    documents = (text + " It takes 40 minutes.", _OTHER, text[: len(text) // 2] + " It was built in 1937.")
    corpus = Corpus([Document(str(i), each) for i, each in enumerate(documents)])
    perturb(corpus, kinds=("number", "date", "unit", "order"))


def _filtered(text: str) -> None:
    ContextFilter().apply([text, _OTHER, text + " x"])


def _linked(text: str) -> None:
    index = TextIndex()
    for each in (_OTHER, text[: len(text) // 2], text):
        index.add(index.text(each))
    index.find(Text(text + _OTHER))


def _echoed(text: str) -> None:
    echoes = Echoes([text])
    echoes.wrote(text, 1.0, recorded=True)
    echoes.held(_OTHER, 2.0)
    echoes.spans(text, 3.0)


def _retrieved(text: str) -> None:
    nodes = [Node(id="d1", kind="document", text=text), Node(id="d2", kind="document", text=_OTHER)]
    claim = Claim(id="c1", text="The ferry takes 40 minutes.", quote="The ferry takes 40 minutes.", start=0, end=27)
    candidates([claim], nodes, limit=8)


def _shown(text: str) -> None:
    node = Node(id="d1", kind="document", text=text)
    layout.passage_lines({passage.id: passage for passage in whole([node])})


def _fenced(text: str) -> None:
    Fence(text, _OTHER).block("ANSWER", text)


def _attached(text: str) -> None:
    attach(
        [_claim(text)], text, [Node(id="d1", kind="document", text=_OTHER), Node(id="d2", kind="document", text=text)]
    )


def _cited(text: str) -> None:
    library = Library([Node(id="d1", kind="document", text=text)], _OTHER)
    for mark in marks("It is so [1], says [Skogholm](https://a.example/b) (Smith, 2020)."):
        library.find(mark)


def _graph(text: str, answer: str | None = None) -> ProvenanceGraph:
    """A source, two steps that a model wrote, one of them an echo of the other, and an answer: each holds the text."""
    said = text if answer is None else answer
    nodes = (
        Node(id="q", kind="question", text=f"When does it leave? {text[:2000]}"),
        Node(id="d1", kind="document", text=text, attributes={"source": text[:2000], "title": text[:2000]}),
        Node(id="d2", kind="document", text=_OTHER),
        Node(id="m1", kind="completion", text=f"{text} It takes 53 minutes. {_OTHER}", step=text[:200]),
        Node(id="m2", kind="completion", text=text[::-1], model_spans=((0, 1),) if text else ()),
        Node(id="a", kind="answer", text=f"The ferry takes 53 minutes [1].\n{said}"),
    )
    pairs = [("q", "m1"), ("d1", "m1"), ("d2", "m1"), ("m1", "m2"), ("m1", "a"), ("m2", "a"), ("q", "a"), ("d1", "a")]
    return ProvenanceGraph(nodes=nodes, edges=tuple(Edge(source=a, target=b) for a, b in pairs))


def _ignore(_: Exception) -> None:
    """Errors are not what is looked for."""


def _report(text: str) -> Report:
    """A report with a claim for every hundred characters, one of each class, that cites all there is."""
    graph = _graph(text)
    answer = graph.nodes[-1].text
    classes = (SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED)
    claims, verdicts = [], []
    for n, start in enumerate(range(0, len(answer), 100)):
        part, support = answer[start : start + 100], classes[n % 4]
        claims.append(Claim(id=f"c{n}", text=part or "-", quote=part, start=start, end=start + len(part)))
        shown = tuple(
            Evidence(node_id=id_, start=0, end=min(50, len(whole_)), quote=whole_[:50], relation="supports")
            for id_, whole_ in (("d1", text), ("d2", _OTHER))
            if whole_
        )
        faulty = support is not SupportClass.SUPPORTED
        verdicts.append(
            Verdict(
                claim_id=f"c{n}",
                support=support,
                error_type=ErrorType.NUMBER if faulty else None,
                evidence=shown,
                rationale=part,
                introduced_at="m1" if faulty else None,
                carried_through=("m2",) if faulty else (),
            )
        )
    return Report(
        state="assessed",
        graph=graph,
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        warnings=(text[:2000],),
        judge="j",
    )


def _built(text: str) -> ProvenanceGraph:
    """The graph of an app that retrieves the text, asks a model twice, and answers."""
    quoted = Piece(text=f"Answer from the context.\n\n[1] {text}\n\n[2] {_OTHER}\n\nWhen does it leave?")
    asked, found = Piece(text="When does it leave?"), (
        Piece(text=text, form="document", id="d1"),
        Piece(text=_OTHER, form="document", id="d2"),
    )  # fmt: skip
    draft = Piece(text=f"It says: {text[: len(text) // 2]}")
    runs: list[tuple[str, Any, tuple[Piece, ...], tuple[Piece, ...]]] = [
        ("r1", "retriever", (asked,), found),
        ("r2", "model", (quoted,), (draft,)),
        ("r3", "tool", (Piece(text=text[::-1]),), (Piece(text=text),)),
        ("r4", "model", (quoted, draft, Piece(text=text, form="message", role="tool")), (Piece(text=text),)),
    ]
    log: list[Event] = [RunStarted(seq=0, run_id="r", parent_id=None, kind="chain", name="app", inputs=(asked,))]
    for run_id, kind, read, wrote in runs:
        log.append(RunStarted(seq=len(log), run_id=run_id, parent_id="r", kind=kind, name=kind, inputs=read))
        log.append(RunEnded(seq=len(log), run_id=run_id, outputs=wrote))
    log.append(RunEnded(seq=len(log), run_id="r", outputs=(Piece(text=text),)))
    redactor = Redactor(lambda each: each, lambda error: None)
    graph = build(map(redactor.event, log))
    return build(log, Earlier(graph, 1, 1))


def _traced(text: str) -> None:
    """A run that retrieves the text, whole and in part, reranks, packs and reads it, saved and read back."""
    part = len(text) // 2
    found = [
        Piece(
            text=each, path=(place,), form="document", id=f"{place}", attributes={"source": text[:2000], "score": "nan"}
        )
        for place, each in enumerate((text, _OTHER, text[:part], text[::-1]))
    ]
    log: list[Event] = []

    def run(name: str, kind: RunKind, given: list[Piece], wrote: list[Piece], parent: str | None = "app") -> None:
        log.append(
            RunStarted(seq=len(log), run_id=name, parent_id=parent, kind=kind, name=text[:200], inputs=tuple(given))
        )
        if wrote:
            log.append(RunEnded(seq=len(log), run_id=name, outputs=tuple(wrote)))

    said = {"user_id": text[:2000], "tags": [text[:2000]], "index_version": text[:2000]}
    asked = Piece(text="When does it leave?", path=("question",))
    run("app", "chain", [asked], [], None)
    run("search", "retriever", [Piece(text=text)], found)
    kept = [found[2], replace(found[0], text=text[part:]), replace(found[1], id=None)]
    run("rerank", "chain", found, kept)
    prompt = "\n".join(each.text for each in kept)
    run(
        "model",
        "model",
        [Piece(text=f"Answer from this: {prompt[: part + 40]}")],
        [Piece(text="The ferry takes 53 minutes.")],
    )
    log.append(RunEnded(seq=len(log), run_id="app", outputs=(Piece(text="The ferry takes 53 minutes."),)))
    trace = recorded("app", log, context=said, versions=given_versions({"app": text[:2000]}))
    assert (len(trace.retrievals), len(trace.packings), len(trace.calls)) == (1, 1, 1) or not text.strip()
    assert trace.rerankings is not None
    with TemporaryDirectory() as folder:
        save(f"{folder}/trace.jsonl", [trace, trace])
        assert next(read_traces(f"{folder}/trace.jsonl")) == trace or not text.isascii()
    _stored(Trace.from_json)(text)
    found = verified(trace)
    assert "Evidence path" in found.to_html()
    assert str(found.diagnosis).startswith("evidence path")


def _stored(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reads a text as what was stored once; most are none, and refused."""

    def reader(text: str) -> None:
        with suppress(TrailError, ValueError):
            read(text)

    return reader


def _replied(text: str) -> Report:
    """A judge whose model answers with nothing but the text, in pieces that are half of what was asked."""
    script = {
        "claims": [
            Reply(text='{"claims": [{"quote": "The ferry takes 53 minutes."}, ' + text),
            *[Reply(text=text)] * 99,
        ],
        "verdicts": lambda call: Reply(text='{"verdicts": [{"claim": "c1", ' + text),
        "localize": lambda call: Reply(text=text),
    }
    return check("The ferry takes 53 minutes.", [_OTHER], judge=LLMJudge(model=ScriptedModel(script)))


def _sought(text: str) -> object:
    index, judge = Index(lambda _: [text], 1), LLMJudge(ScriptedModel(lambda _: {"queries": [text]}))
    return index.ask(index.call(text)), drive(judge.seek(text, text, [text], text), judge.model)


def _asked(text: str) -> Report:
    """A judge with a model, to which a long answer and long sources are shown."""
    model = ScriptedModel(lambda call: {"claims": []} if call.purpose == "claims" else {"verdicts": []})
    judge = LLMJudge(model=model)
    return check(text, [text], judge=judge, options=VerifyOptions(budget=Budget(calls=4)))


_PROBES = (
    Probe(id="n", question="How long does it take?", real="40 minutes", fictive="63 minutes"),
    Probe(id="d", question="When was it opened?", real="12 March 2019", fictive="27 August 2021"),
    Probe(id="w", question="Who keeps the light?", real="Anna Berg", fictive="Marta Solvang", also="Ivar Tolle"),
    Probe(id="p", question="Is it open on Sundays?", real="yes", fictive="no"),
    Probe(id="o", question="What is first?", real="the ferry, then the boat", fictive="the boat, then the ferry"),
    Probe(id="m", question="What is the rule?", real="Visitors must pay.", fictive="Visitors may pay."),
)


def _scored(text: str) -> None:
    for probe in _PROBES:
        classify(probe, "fictive", text)


def _matched(text: str) -> None:
    found = overlap(Text(text), Text(text[::-1] + text))
    arrived(Text(text), Text(_OTHER))
    values(Text("40"), Text(text), [text[::-1], _OTHER])
    if found is not None:
        longest_first([("a", found), ("b", found)])


def _excerpted(text: str) -> None:
    both_ends(text, 80)
    if text:
        end = min(60, len(text))
        item = Evidence(node_id="source-1", start=0, end=end, quote=text[:end], relation="supports")
        around(item, ProvenanceGraph.from_texts("It is.", [text]))


def _json(text: str) -> None:
    report = _report(text)
    assert Report.from_json(report.to_json()) == report or "\ud800" in text
    Report.from_json(report.to_json(), lenient=True)
    report.summary()


_SAFE = (
    excerpt.plain,
    excerpt.block,
    excerpt.legible,
    excerpt.line,
    excerpt.name,
    excerpt.script_json,
    lambda text: excerpt.shorten(text, 80),
)


def _compared(text: str) -> None:
    report = _report(text)
    other = replace(report, claims=tuple(replace(claim, text=claim.text[:-1] + "x") for claim in report.claims))
    compare(report, other).to_json()


def _guarded(text: str) -> None:
    report = _report(text)
    without_feedback(f"{text}{feedback(report)}{text}")
    nodes = message_nodes(
        [ReadMessage("user", f"{text} When?"), ReadMessage("tool", text, "search"), ReadMessage("assistant", text)]
    )
    ended_at(ProvenanceGraph(nodes=tuple(nodes)), nodes[0].id, text)


READERS: dict[str, Callable[[str], Any]] = {
    "text.sentences": sentences,
    "text.words": words,
    "text.forms": forms,
    "text.fingerprint": lambda text: fingerprint(forms(text)),
    "text.locate": lambda text: locate(text[: len(text) // 2] + " no such end", text),
    "text.outside": lambda text: (outside(text, [(0, len(text) // 2)] if len(text) > 1 else []), encodable(text)),
    "canary.outcomes": _scored,
    "canary.perturb": _perturbed,
    "language.detect": lambda text: (language(text), is_english(text), limits({"c1": text, "c2": _OTHER})),
    "language.terms": terms,
    "language.terms.keys": keys,
    "language.values": lambda text: calendar_dates(measures(text), text),
    "language.speech refuses": refuses,
    "language.speech": lambda text: (is_question(text), greets(text), is_statement(text), declines(text)),
    "splitting.assertions": lambda text: (
        asserts(text),
        is_title(text, "en"),
        is_lead_in(text, "en"),
    ),
    "splitting.code": lambda text: (code_spans(text), code_spans(f"```python\n{text}\n```")),
    "splitting.json_fields": regions,
    "splitting.json_fields single": lambda text: regions(text, single=True),
    "splitting.fields blocks": lambda text: list(blocks(text)),
    "splitting.clauses": parts,
    "splitting.fields": structure,
    "splitting.layout": lambda text: list(pieces(text, "en")),
    "splitting.marks": lambda text: (clean(text), visible(text), is_reference(f"Source: {text} x y")),
    "splitting.sentences": lambda text: sentences_of(text, "en"),
    "splitting.statements": lambda text: (list(statements(text)), list(stated(text))),
    "claims": abstains,
    "evidence.labels": lambda text: list(labelled(text)),
    "evidence.spans json": lambda text: list(spans(text)),
    "evidence.tables": tables,
    "evidence passages": lambda text: whole([Node(id="d1", kind="document", text=text)], context=True),
    "evidence.candidates": _retrieved,
    "evidence.marks": lambda text: (list(marks(text)), references(text)),
    "evidence.attach": _attached,
    "evidence.library": _cited,
    "capture.match": _matched,
    "capture.build links": _linked,
    "capture.echoes": _echoed,
    "capture.echoes transcript": lambda text: (transcript_spans(text), is_dialogue(text), list(arguments(text))),
    "capture.payloads": lambda text: (exact_text({"a": [text]}), fields_text([(["a", 0], text)]), scalars({"a": text})),
    "capture.build": _built,
    "context_filter.instruction": instruction,
    "context_filter": _filtered,
    "judges.llm.layout": _shown,
    "judges.llm.layout.line": layout.line,
    "judges.llm.claims.cut": lambda text: claims.cut(text, 0, len(text), 6000),
    "judges.llm.schema": lambda text: schema.salvage(text, schema.ClaimItem),
    "judges.llm reply": _replied,
    "judges.llm asked": _asked,
    "diagnosis.index": _sought,
    "models.salvage": lambda text: (salvage.document(text), salvage.objects(text), salvage.clean(text)),
    "models.provider_error": lambda text: (redact(text, ["key"]), failure_of(ValueError(text)), count(text)),
    "judges.prompts.Fence": _fenced,
    "redaction": presets(),
    "capture.redaction": lambda text: (Redactor(presets(), _ignore).graph(_graph(text)), bare(ValueError(text), text)),
    "report.withheld": lambda text: (without_texts(_report(text)), text_hash(text)),
    "splitting.marks.refers": refers,
    "judges.prompts.neutral": neutral,
    "graph.from_json": _stored(ProvenanceGraph.from_json),
    "report.from_json": _stored(Report.from_json),
    "report json": _json,
    "report.comparison": _compared,
    "render.excerpt": _excerpted,
    "render.excerpt safe": lambda text: [each(text) for each in _SAFE],
    "render.page": lambda text: to_page(_report(text)),
    "render.terminal": lambda text: to_text(_report(text), 100),
    "render.notebook": lambda text: to_fragment(_report(text)),
    "render.graph": lambda text: (
        graph_to_fragment(_graph(text)),
        graph_to_text(_graph(text), 100),
    ),
    "export": lambda text: [each(_report(text)) for each in (to_csv, to_mermaid, to_prov_json)],
    "export.test": lambda text: to_test(_report(text.ljust(101, "x"))),  # it needs a claim that is not supported
    "report.evaluations": lambda text: (to_otlp(_report(text)), to_evaluation_lines(_report(text))),
    "guard": _guarded,
    "check answer": lambda text: check(text, [_OTHER]),
    "check source": lambda text: check("The ferry to Skogholm takes 53 minutes.", [text, text[::-1]]),
    "check question": lambda text: check("I do not know.", [_OTHER], text),
    "check both": lambda text: check(text, [text]),
    "trace": _traced,
    "verify": lambda text: (verify(_graph(text)), estimate(_graph(text))),
    "verify.unclaimed": lambda text: unclaimed(_graph(text)),
    "verify.veritrail": lambda text: veritrail(_graph(text, "")),
}
"""By name: the module, and what of it."""
