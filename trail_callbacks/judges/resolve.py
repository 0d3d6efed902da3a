"""From what a caller writes as `judge=` to a judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias, Union

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.call import Model

if TYPE_CHECKING:
    from instructor import AsyncInstructor, Instructor

JudgeLike: TypeAlias = Union[Judge, Model, "Instructor", "AsyncInstructor", str, None]

_ACCEPTED = (
    'expected None or "local" (offline), "provider/model" such as "openai/gpt-5-mini", "encoder:" with the hub id or '
    'folder of an open model that runs here, "cascade:" with a file of trail bench cascade, a judge, '
    "a model (as_model() of langchain_trail or llama_index_trail wraps your app's own), or an instructor client"
)


def resolve(judge: JudgeLike, *, base_url: str | None = None) -> Judge:
    """Returns the judge that is meant. Only what is named here decides: a key in the environment alone does nothing.

    Args:
        judge: None or `local` for the offline judge; `provider/model`, or `provider/model@URL` with its endpoint;
            `encoder:` and the hub id or folder of a model for `EncoderJudge` (its default if nothing follows);
            `cascade:` and a file, see `CascadeJudge.from_file`; a model; an instructor client; or a judge, which is
            returned as it is.
        base_url: Endpoint for a `provider/model`.

    Raises:
        JudgeError: If it is none of these, or its model cannot be used.
        MissingExtraError: If it needs an extra that is not installed.
        InputError: If the file of a cascade cannot be used.
    """
    if isinstance(judge, str) and base_url is None:
        judge, at, url = judge.partition("@http")
        base_url = f"http{url}" if at else None
    here = _named_here(judge)
    if base_url is not None and not (isinstance(judge, str) and "/" in judge and here is None):
        raise JudgeError('base_url needs a judge such as "openai/model-name" that is to be found there')
    if here is not None:
        return here()
    if judge is None or (isinstance(judge, str) and judge.strip().casefold() == "local"):
        from trail_callbacks.judges.local.judge import LocalJudge  # noqa: PLC0415 - loads what a model judge does not need

        return LocalJudge()
    if isinstance(judge, type):
        raise JudgeError(f"judge is the class {judge.__name__}, expected an instance of it: {judge.__name__}(...)")
    if isinstance(judge, str):
        provider, _, name = judge.partition("/")
        if not provider or not name:
            raise JudgeError(f"judge is {judge!r}: {_ACCEPTED}")
        return LLMJudge(judge, base_url=base_url)
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, Model) or callable(getattr(judge, "create_with_completion", None)):
        return LLMJudge(judge)
    raise JudgeError(f"judge is a {type(judge).__name__}: {_ACCEPTED}")


def _named_here(judge: object) -> Callable[[], Judge] | None:
    """Builds a judge that a word before a colon names."""
    if (file := named_after("cascade", judge)) is not None:
        from trail_callbacks.judges.cascade import CascadeJudge  # noqa: PLC0415 - it imports this module

        return partial(CascadeJudge.from_file, file)
    model = named_after("encoder", judge)
    return None if model is None else partial(_encoder, model)


def named_after(kind: str, judge: object) -> str | None:
    """Returns what follows `KIND:`, the model of `encoder:MODEL` for one; None if that is not what is written."""
    if not isinstance(judge, str):
        return None
    written, colon, name = judge.strip().partition(":")
    return name.strip() if colon and written.casefold() == kind else None


@lru_cache(maxsize=2)  # a call that names its judge is not to load the weights again
def _encoder(model: str) -> Judge:
    from trail_callbacks.judges.encoder.judge import EncoderJudge  # noqa: PLC0415 - loads what other judges do not need

    return EncoderJudge(model) if model else EncoderJudge()
