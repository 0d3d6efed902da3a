"""Measures what is said of exports of which a part is missing: each span dropped, each attribute removed or cut.

    .venv/tools/bin/python tests/benchmarks/cut_exports.py [--apps 12] [--seed 0] [--only mlflow] [--part 1] [--show 5]

Generated apps (see tests/origins) are recorded by the tracers that are installed (`make tools`). Each run is read whole,
and again with each change; an oracle judges both, by what is word for word in the evidence. Prints one JSON line a
dialect: whole runs and their states, changed files, those that are still `assessed`, and among these the ones with other
verdicts than the whole file's (0 wanted) or a new clean score of 0.0 (0); exceptions (0). `--show` prints the first.
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
from trail_callbacks.importing import read
from trail_callbacks.judges import Assessment, Judgement, quoted
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.pipeline import verify

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("importing", "origins")]

LIMITS = (12, 48, 128, 512)  # characters to which all values of a file are cut
ENDS = 24  # places at which a file ends
IDS = {"id", "trace_id", "traceId", "run_type", "type", "dotted_order"}  # without these a row is none


class Oracle(LocalJudge):
    """Decides every claim: it is supported if a source holds it word for word, else absent."""

    name = "oracle"

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        return Assessment(judgements=tuple(map(judged, questions)))


def judged(question):
    """The oracle's word on one claim."""
    said = question.claim.quote.strip(" .-\n\u3002")
    held = next((each for each in question.passages if said in each.text), None)
    if held is None:
        return Judgement(claim_id=question.claim.id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
    evidence = (quoted(held, "supports"),)
    return Judgement(claim_id=question.claim.id, support=SupportClass.SUPPORTED, evidence=evidence)


def rows_of(records: list[dict[str, Any]]) -> list[tuple[list[Any], int]]:
    """Every span or row: the list that it is in, and its place there."""
    scopes = [scope for record in records for each in record.get("resourceSpans", ()) for scope in each["scopeSpans"]]
    lists = [each["spans"] for each in (*scopes, *(record["data"] for record in records if "info" in record))]
    return [(each, i) for each in lists or [records] for i in range(len(each))]


def fields_of(row: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The attributes of a span and of its events, or the fields of a row: the holder, and its key there."""
    held = row.get("attributes")
    if isinstance(held, list):
        return [(of, i) for of in (held, *(e["attributes"] for e in row.get("events") or ())) for i in range(len(of))]
    return [(held, key) for key in held] if held else [(row, key) for key in row if key not in IDS]


def cut(holder: Any, key: Any, length: int | None) -> bool:
    """Cuts a value as a text, or removes it; False if it is shorter."""
    value = holder[key]
    of_otlp = isinstance(holder, list)
    held = next(iter(value["value"].values()), "") if of_otlp else value
    text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
    if length is None:
        del holder[key]
        return True
    length = length or len(text) // 2
    if 1 < length < len(text):
        holder[key] = {"key": value["key"], "value": {"stringValue": text[:length]}} if of_otlp else text[:length]
    return 1 < length < len(text)


def changed(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yields every change of a file: what it is, and the file's content."""

    def content(of: list[dict[str, Any]]) -> str:
        return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in of)

    for n, (held, at) in enumerate(rows_of(records)):
        other = deepcopy(records)
        listed, i = rows_of(other)[n]
        name = listed.pop(i).get("name")
        yield f"span {name} dropped", content(other)
        for m, (holder, key) in enumerate(fields_of(held[at])):
            for length in (None, 0, 64):
                other = deepcopy(records)
                listed, i = rows_of(other)[n]
                if cut(*fields_of(listed[i])[m], length):
                    named = holder[key]["key"] if isinstance(holder, list) else key
                    yield f"{named} of {name} cut to {length} (None: removed, 0: half)", content(other)
    for limit in LIMITS:
        other = deepcopy(records)
        for listed, i in rows_of(other):
            for holder, key in fields_of(listed[i]):
                cut(holder, key, limit)
        yield f"all cut to {limit}", content(other)
    whole = content(records)
    yield from ((f"file cut at {i}/{ENDS}", whole[: len(whole) * i // ENDS]) for i in range(1, ENDS))
    lines = whole.splitlines(keepends=True)
    yield from ((f"only {i} lines", "".join(lines[:i])) for i in range(1, len(lines)))


def seen(path: Path, content: str) -> tuple[str, dict[str, str], float | None]:
    """State, verdicts and score of the report on a file's run; the state is `none` without a run."""
    path.write_text(content, encoding="utf-8")
    with suppress(InputError):
        for report in [verify(each, Oracle()) for each in read(path, on_error=lambda _: None)][:1]:
            verdicts = {claim.quote: str(report.verdict(claim.id).outcome) for claim in report.claims}
            return report.state, verdicts, report.hallucination_score
    return "none", {}, None


def measured(runs: list[list[dict[str, Any]]], show: int = 0, part: int = 1) -> Counter[str]:
    """Reads runs whole and changed, and counts; of the changes only every `part`th."""
    count: Counter[str] = Counter(whole=len(runs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.jsonl"
        for records in runs:
            state, verdicts, score = seen(path, "".join(f"{json.dumps(each)}\n" for each in records))
            count[f"whole {state}"] += 1
            for what, content in list(changed(records))[::part]:
                count["changed"] += 1
                try:
                    now, found, value = seen(path, content)
                except Exception as error:  # noqa: BLE001 - it is what is counted
                    count["exceptions"] += 1
                    now, found, value = repr(error), {}, None
                count["assessed"] += now == "assessed"
                count["other verdicts"] += (wrong := now == "assessed" and found != verdicts)
                count["clean"] += now == "assessed" and value == 0.0 and score != 0.0
                if (wrong or "(" in now) and (show := show - 1) >= 0:
                    print(f"  {what}: {now}, {dict(set(found.items()) ^ set(verdicts.items()))}")
    return count


def langchain(seed: str, callbacks: list[Any]) -> None:
    """Runs a generated app of LangChain."""
    app = import_module("langchain_apps").made(seed)
    for asked, prepare in app.asked:
        prepare()
        config = {"callbacks": callbacks, "configurable": {"thread_id": app.thread}}
        app.app.invoke(asked() if callable(asked) else asked, config)


def llama_index(seed: str, _: list[Any]) -> None:
    """Runs a generated app of LlamaIndex."""
    story = import_module("story").Story.seeded(seed)
    for turn in story.random.choice(import_module("llama_index_apps").KINDS)(story, "sync"):
        if asyncio.iscoroutine(result := turn()):
            asyncio.run(result)


def of_spans(module: str, name: str, run: Callable[[str, list[Any]], None], seeds: list[str]) -> list[Any]:
    """Runs under an instrumentor of OpenTelemetry, or Langfuse's handler; their exports, one a trace."""
    sdk, file = import_module("opentelemetry.sdk.trace"), import_module("opentelemetry.exporter.otlp.json.file")
    export = import_module("opentelemetry.sdk.trace.export")
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
    provider, runs, recorder = sdk.TracerProvider(), {}, getattr(import_module(module), name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spans.jsonl"
        provider.add_span_processor(export.SimpleSpanProcessor(file.FileSpanExporter(str(path))))
        if langfuse := name == "CallbackHandler":
            given = {"public_key": "pk", "secret_key": "sk", "host": "http://127.0.0.1:9"}
            import_module("langfuse").Langfuse(tracer_provider=provider, **given)
        else:
            recorder().instrument(tracer_provider=provider)
        for seed in seeds:
            with suppress(Exception):  # of a tracer
                run(seed, [recorder(public_key="pk")] if langfuse else [])
        None if langfuse else recorder().uninstrument()
        provider.shutdown()
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            runs.setdefault(rows_of([record])[0][0][0]["traceId"], []).append(record)
    return list(runs.values())


def of_langsmith(seeds: list[str]) -> list[Any]:
    """Runs under LangSmith's tracer; what it sends, one a trace."""
    tracers, serde = import_module("langchain_core.tracers"), import_module("langsmith._internal._serde")
    kept, runs = import_module("test_equality").Kept(), {}
    for seed in seeds:
        langchain(seed, [tracers.LangChainTracer(client=kept, project_name="p")])
    for run in kept.runs.values():
        runs.setdefault(str(run["trace_id"]), []).append(json.loads(serde.dumps_json(run)))
    return list(runs.values())


def of_mlflow(seeds: list[str]) -> list[Any]:
    """Runs under MLflow's autologging; its traces, the last of each app."""
    mlflow, found = import_module("mlflow"), []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        mlflow.set_tracking_uri((Path(folder) / "mlruns").as_uri())
        mlflow.langchain.autolog()
        for seed in seeds:
            langchain(seed, [])
            mlflow.flush_trace_async_logging()
            found.append([json.loads(mlflow.get_trace(mlflow.get_last_active_trace_id()).to_json())])
        mlflow.langchain.autolog(disable=True)
    return found


OTEL, INFERENCE = "opentelemetry.instrumentation", "openinference.instrumentation"
DIALECTS: dict[str, Callable[[list[str]], list[Any]]] = {
    "openinference": partial(of_spans, f"{INFERENCE}.langchain", "LangChainInstrumentor", langchain),
    "llama_index": partial(of_spans, f"{INFERENCE}.llama_index", "LlamaIndexInstrumentor", llama_index),
    "genai": partial(of_spans, f"{OTEL}.genai.langchain", "LangChainInstrumentor", langchain),
    "openllmetry": partial(of_spans, f"{OTEL}.langchain", "LangchainInstrumentor", langchain),
    "langfuse": partial(of_spans, "langfuse.langchain", "CallbackHandler", langchain),
    "langsmith": of_langsmith,
    "mlflow": of_mlflow,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0, help="number of the first app")
    parser.add_argument("--only", choices=DIALECTS)
    parser.add_argument("--part", type=int, default=1, help="of the changes, every one of so many")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for dialect in [options.only] if options.only else DIALECTS:
        try:
            runs = DIALECTS[dialect]([f"langchain-{i}" for i in range(options.seed, options.seed + options.apps)])
            print(json.dumps({"dialect": dialect, **measured(runs, options.show, options.part)}))
        except ImportError as error:
            print(json.dumps({"dialect": dialect, "skipped": str(error)}))
