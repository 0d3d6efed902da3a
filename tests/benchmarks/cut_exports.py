"""Measures what is said of exports of which a part is missing: each span dropped, each attribute removed or cut.

    .venv/tools/bin/python tests/benchmarks/cut_exports.py [--apps 12] [--seed 0] [--only openinference] [--part 1] [--show 5]

Generated apps (see tests/origins) are recorded by the tracers that are installed (`make tools`). Each run is read whole,
and again with each change; an oracle judges both, by what is word for word in the evidence. Prints one JSON line a
dialect: whole runs, those of them that are `assessed`, changed files, those that are still `assessed`, and among these
the ones with other verdicts than the whole file's (0 wanted); clean scores of 0.0 that the whole file has not (0), and
exceptions (0). `--show` prints the first ones of each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Evidence
from trail_callbacks.importing import read
from trail_callbacks.judges import Assessment, Judgement
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.pipeline import verify

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("importing", "origins")]

LIMITS = (12, 48, 128, 512)
"""Characters to which all values of a file are cut, as OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT does."""
ENDS = 24  # places at which a file ends
IDS = {"id", "trace_id", "traceId", "run_type", "type", "dotted_order"}
"""Fields of rows without which they are no rows."""


class Oracle(LocalJudge):
    """Decides every claim: it is supported if a source holds it word for word, else absent."""

    name = "oracle"

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        return Assessment(judgements=tuple(map(self._judged, questions)))

    def _judged(self, question):
        said = question.claim.quote.strip(" .-\n\u3002")
        for each in question.passages:
            if (at := each.text.find(said)) >= 0:
                span = {"start": each.start + at, "end": each.start + at + len(said)}
                quote = Evidence(node_id=each.node_id, quote=said, relation="supports", **span)
                return Judgement(claim_id=question.claim.id, support=SupportClass.SUPPORTED, evidence=(quote,))
        return Judgement(claim_id=question.claim.id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)


def spans_in(record: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The lists of spans in a record; a row is none."""
    if "resourceSpans" in record:
        return [scope["spans"] for each in record["resourceSpans"] for scope in each["scopeSpans"]]
    return [record["data"]["spans"]] if "info" in record else []


def fields_of(row: dict[str, Any]) -> Iterator[tuple[Any, Any, Callable[[str], Any]]]:
    """The attributes of a span, and those of its events, or the fields of a row: holder, key, how a text is written."""
    if isinstance(held := row.get("attributes"), list):
        for holder in (held, *(event["attributes"] for event in row.get("events") or ())):
            yield from ((holder, i, lambda text, key=each["key"]: {"key": key, "value": {"stringValue": text}})
                        for i, each in enumerate(holder))  # fmt: skip
    elif isinstance(held, dict):
        yield from ((held, key, lambda text: text) for key in held)
    else:
        yield from ((row, key, lambda text: text) for key in row if key not in IDS)


def text_in(value: Any) -> str:
    """A value as the text that a tool with limits would cut."""
    if isinstance(value, dict) and set(value) == {"key", "value"}:
        value = next(iter(value["value"].values()), "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def changed(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:  # noqa: C901 - one kind of change after the other
    """Every change of a file: what it is, and the file's content."""

    def content(of: list[dict[str, Any]]) -> str:
        return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in of)

    def rows(of: list[dict[str, Any]]) -> list[tuple[list[Any], int]]:
        lists = [each for record in of for each in spans_in(record)] or [of]
        return [(each, i) for each in lists for i in range(len(each))]

    for n, (held, at) in enumerate(rows(records)):
        name = held[at].get("name")
        other = deepcopy(records)
        listed, i = rows(other)[n]
        del listed[i]
        yield f"span {name} dropped", content([each for each in other if each])
        for m, (holder, key, _) in enumerate(fields_of(held[at])):
            text = text_in(holder[key])
            named = holder[key]["key"] if isinstance(holder, list) else key
            for how, length in (("removed", None), ("cut to half", len(text) // 2), ("cut to 64", 64)):
                if length is not None and not 1 < length < len(text):
                    continue
                other = deepcopy(records)
                listed, i = rows(other)[n]
                to, own, written = list(fields_of(listed[i]))[m]
                if length is None:
                    del to[own]
                else:
                    to[own] = written(text[:length])
                yield f"{named} of {name} {how}", content(other)
    for limit in LIMITS:
        other = deepcopy(records)
        for listed, i in rows(other):
            for to, key, written in list(fields_of(listed[i])):
                if len(text := text_in(to[key])) > limit:
                    to[key] = written(text[:limit])
        yield f"all cut to {limit}", content(other)
    whole = content(records)
    yield from ((f"file cut at {i}/{ENDS}", whole[: len(whole) * i // ENDS]) for i in range(1, ENDS))
    lines = content(records).splitlines(keepends=True)
    yield from ((f"only {i} lines", "".join(lines[:i])) for i in range(1, len(lines)))


def seen(path: Path, content: str) -> tuple[str, dict[str, str], float | None, Any]:
    """State, verdicts and score of the report on a file's run, and its trace; state `none` without a run."""
    path.write_text(content, encoding="utf-8")
    try:
        traces = list(read(path, on_error=lambda _: None))
    except InputError:
        return "none", {}, None, None
    reports = [verify(each, Oracle()) for each in traces]
    states = sorted({each.state for each in reports}) or ["none"]
    verdicts = {claim.quote: str(each.verdict(claim.id).outcome) for each in reports for claim in each.claims}
    scores = [each.hallucination_score for each in reports]
    return "assessed" if "assessed" in states else states[0], verdicts, scores[0] if scores else None, traces


def measured(runs: list[list[dict[str, Any]]], show: int = 0, part: int = 1) -> Counter[str]:
    """Reads runs whole and changed, and counts; of the changes only every `part`th."""
    count: Counter[str] = Counter(whole=len(runs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.jsonl"
        for records in runs:
            lines = "".join(f"{json.dumps(each)}\n" for each in records)
            state, verdicts, score, traces = seen(path, lines)
            count[f"whole {state}"] += 1
            if state != "assessed" and show:
                print("  whole:", state, [each.lost for each in traces or ()])
            for n, (what, content) in enumerate(changed(records)):
                if n % part:
                    continue
                count["changed"] += 1
                try:
                    now, found, value, _ = seen(path, content)
                except Exception as error:  # noqa: BLE001 - it is what is counted
                    count["exceptions"] += 1
                    now, found, value = repr(error), {}, None
                count["assessed"] += now == "assessed"
                wrong = now == "assessed" and found != verdicts
                clean = now == "assessed" and value == 0.0 and score != 0.0
                count["other verdicts"] += wrong
                count["clean"] += clean
                if (wrong or clean or "(" in now) and count["shown"] < show:
                    count["shown"] += 1
                    gone = {key: (verdicts.get(key), found.get(key)) for key in {**verdicts, **found}
                            if verdicts.get(key) != found.get(key)}  # fmt: skip
                    print(f"  {what}: {now}, {gone}")
    return count


def langchain(seed: str, callbacks: list[Any]) -> None:
    """Runs a generated app of LangChain."""
    from langchain_apps import made
    from langchain_play import drive

    app = made(seed)
    for asked, prepare in app.asked:
        prepare()
        config = {"callbacks": callbacks, "configurable": {"thread_id": app.thread}}
        drive(app.app, asked() if callable(asked) else asked, config, "invoke")


def llama_index(seed: str, _: list[Any]) -> None:
    """Runs a generated app of LlamaIndex."""
    from llama_index_apps import KINDS
    from story import Story

    story = Story.seeded(seed)
    for turn in story.random.choice(KINDS)(story, story.random.choice(("sync", "async"))):
        if asyncio.iscoroutine(result := turn()):
            asyncio.run(result)


def of_spans(module: str, name: str, run: Callable[[str, list[Any]], None], seeds: list[str]) -> list[Any]:
    """Runs under an instrumentor of OpenTelemetry, or Langfuse's handler; their exports, one a trace."""
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider, callbacks, instrumentor = TracerProvider(), [], None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spans.jsonl"
        provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
        if name == "CallbackHandler":
            given = {"public_key": "pk", "secret_key": "sk", "host": "http://127.0.0.1:9"}
            import_module("langfuse").Langfuse(tracer_provider=provider, **given)
            callbacks = [getattr(import_module(module), name)(public_key="pk")]
        else:
            instrumentor = getattr(import_module(module), name)()
            instrumentor.instrument(tracer_provider=provider)
        for seed in seeds:
            with suppress(Exception):  # of a tracer
                run(seed, callbacks)
        if instrumentor is not None:
            instrumentor.uninstrument()
        provider.shutdown()
        runs: dict[str, list[dict[str, Any]]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            runs.setdefault(spans_in(record)[0][0]["traceId"], []).append(record)
    return list(runs.values())


def of_langfuse_rows(seeds: list[str]) -> list[Any]:
    """The same as Langfuse's API lists it."""
    named = {"name": "name", "id": "spanId", "traceId": "traceId", "parentObservationId": "parentSpanId"}
    found = []
    for run in of_spans("langfuse.langchain", "CallbackHandler", langchain, seeds):
        found.append([])
        for span in (each for record in run for listed in spans_in(record) for each in listed):
            held = {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}
            row = {key: span.get(name) or None for key, name in named.items()}
            row |= {f"{side}Time": int(span[f"{side}TimeUnixNano"]) / 1e9 for side in ("start", "end")}
            row |= {key: held.get(f"langfuse.observation.{key}") for key in ("type", "input", "output")}
            found[-1].append(row)
    return found


def of_langsmith(seeds: list[str]) -> list[Any]:
    """What LangSmith's tracer sends."""
    from langchain_core.tracers import LangChainTracer
    from langsmith._internal._serde import dumps_json
    from test_equality import Kept

    runs: dict[str, list[dict[str, Any]]] = {}
    for seed in seeds:
        kept = Kept()
        langchain(seed, [LangChainTracer(client=kept, project_name="p")])
        for run in kept.runs.values():
            runs.setdefault(str(run["trace_id"]), []).append(json.loads(dumps_json(run)))
    return list(runs.values())


def of_mlflow(seeds: list[str]) -> list[Any]:
    """Traces of MLflow."""
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        mlflow.set_tracking_uri(Path(folder).as_uri())
        mlflow.langchain.autolog()
        found = []
        for seed in seeds:
            langchain(seed, [])
            mlflow.flush_trace_async_logging()
            found.append([json.loads(mlflow.get_trace(mlflow.get_last_active_trace_id()).to_json())])
        mlflow.langchain.autolog(disable=True)
        return found


OTEL = "opentelemetry.instrumentation"
DIALECTS: dict[str, Callable[[list[str]], list[Any]]] = {
    "openinference": partial(of_spans, "openinference.instrumentation.langchain", "LangChainInstrumentor", langchain),
    "openinference llama_index": partial(
        of_spans, "openinference.instrumentation.llama_index", "LlamaIndexInstrumentor", llama_index
    ),
    "genai": partial(of_spans, f"{OTEL}.genai.langchain", "LangChainInstrumentor", langchain),
    "openllmetry": partial(of_spans, f"{OTEL}.langchain", "LangchainInstrumentor", langchain),
    "langfuse spans": partial(of_spans, "langfuse.langchain", "CallbackHandler", langchain),
    "langfuse": of_langfuse_rows,
    "langsmith": of_langsmith,
    "mlflow": of_mlflow,
}


def switch_on(setenv: Callable[[str, str], object]) -> None:
    """Makes the instrumentors of OpenTelemetry record texts."""
    setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental")
    setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0, help="number of the first app")
    parser.add_argument("--only", choices=DIALECTS)
    parser.add_argument("--part", type=int, default=1, help="of the changes, every one of so many")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    switch_on(os.environ.__setitem__)
    for name, record in DIALECTS.items():
        if options.only in {None, name}:
            try:
                runs = record([f"langchain-{i}" for i in range(options.seed, options.seed + options.apps)])
            except ImportError as error:
                print(json.dumps({"dialect": name, "skipped": str(error)}))
                continue
            print(json.dumps({"dialect": name, **measured(runs, options.show, options.part)}))


if __name__ == "__main__":
    main()
