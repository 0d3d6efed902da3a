"""The calls of models in a run."""

from __future__ import annotations

from trail_callbacks.capture.runs import Run
from trail_callbacks.trace.candidates import content_hash, first_number
from trail_callbacks.trace.reading import Reading
from trail_callbacks.trace.steps import ModelCall

__all__ = ["answering", "model_calls"]


def model_calls(reading: Reading) -> tuple[ModelCall, ...]:
    """Returns every call of a model, in the order of the starts."""
    wrote = {run.id for run in answering(reading)}
    return tuple(_call(reading, run, run.id in wrote) for run in reading.runs if run.kind == "model")


def answering(reading: Reading) -> list[Run]:
    """Returns the models' runs that wrote the answer; several if the app joined what several wrote."""
    answer = reading.graph.answer
    if answer is None:
        return []
    wrote = {answer.run_id} | {node.run_id for node in reading.graph.inputs(answer.id) if node.kind == "completion"}
    runs = [run for run in reading.runs if run.kind == "model"]
    own = [run for run in runs if run.id == answer.run_id]
    return own or [run for run in runs if run.id in wrote]


def _call(reading: Reading, run: Run, answers: bool) -> ModelCall:
    known = {key: value for slot in run.outputs for key, value in slot.piece.attributes.items()}
    read, written = (first_number(known, (key,)) for key in ("prompt_tokens", "completion_tokens"))
    model = known.get("model")
    return ModelCall(
        run_id=run.id,
        step=run.step,
        model=str(model) if model else None,
        prompt_hash=_template_hash(reading, run),
        prompt_tokens=None if read is None else int(read),
        completion_tokens=None if written is None else int(written),
        started=reading.started_at(run),
        seconds=reading.seconds(run),
        error=reading.error(run),
        answers=answers,
    )


def _template_hash(reading: Reading, run: Run) -> str | None:
    written = reading.written(run)
    if written is None:
        return None
    wording = [node.text for node in reading.graph.inputs(written.id) if node.origin == "template"]
    return content_hash("\n".join(wording)) if wording else None
