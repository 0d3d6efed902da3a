"""Values of an app, made safe to keep: exact text, JSON-safe metadata, exceptions as text."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import math
import re
import secrets
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from opcode import opmap
from typing import Any, cast

_ERROR_TEXT = 2_000
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_GAP = 1_000  # items without a text between two that have one; a list with more of them is written without


def exact_text(value: object) -> str:
    """Returns an exact `str` that can be encoded: subclasses are unwrapped, lone surrogates replaced."""
    text = str.__str__(value if isinstance(value, str) else str(value))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "replace").decode()
    return text


def scalars(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the JSON-safe part of metadata: source, page, score and the like.

    Numbers of numpy become plain ones; one that is not finite, which JSON cannot hold, becomes its name: "nan".
    """
    found: dict[str, Any] = {}
    for key, value in metadata.items():
        if issubclass(type(value), str | Real):  # `isinstance` asks the value itself
            try:
                found[exact_text(key)] = _plain(value)
            except BaseException as error:  # noqa: BLE001 - a number of the app's own, whose key says nothing then
                contained(error)
    return found


def labels(given: object) -> tuple[str, ...]:
    """Returns the texts of a list of tags; of anything else none."""
    if not issubclass(type(given), list | tuple):
        return ()
    return tuple(exact_text(each) for each in cast("list[object]", given) if issubclass(type(each), str))


def _plain(value: str | Real) -> str | bool | int | float:
    if isinstance(value, str):
        return exact_text(value)
    if isinstance(value, int):
        return value if isinstance(value, bool) else int.__int__(value)
    number = int(value) if isinstance(value, Integral) else float(value)
    return number if math.isfinite(number) else str(number)


def described(error: BaseException | None) -> str:
    """Returns type and message of an exception; not the exception itself, whose traceback holds the app's frames."""
    try:
        message = exact_text(error)
    except BaseException as fault:  # noqa: BLE001 - the app's exception may be broken too
        contained(fault)
        message = "[unreadable message]"
    return f"{type(error).__name__}: {message}"[:_ERROR_TEXT]


def contained(error: BaseException) -> Exception:
    """Returns what was raised while a payload was read, as an exception that can be kept and shown.

    A payload may raise anything, `SystemExit` too. What a signal raised, such as Ctrl-C, is for the app, and raised
    again.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit) and _of_signal(error):
        raise error
    try:
        repr(error)
    except BaseException as fault:  # noqa: BLE001 - as in `described`
        contained(fault)
    else:
        if isinstance(error, Exception):
            return error
    return RuntimeError(described(error))


def _of_signal(error: BaseException) -> bool:
    """Whether a signal raised it: on the main thread, in its handler or, by Python's own one, where nothing raises."""
    at = error.__traceback__
    if at is None or threading.current_thread() is not threading.main_thread():
        return False
    look_up = sys.modules["_signal"].getsignal  # that of `signal` makes a text of a handler, and of all that it holds
    handlers = {_code(look_up(each)) for each in range(1, signal.NSIG)}
    while at.tb_next is not None and at.tb_frame.f_code not in handlers:
        at = at.tb_next
    code = at.tb_frame.f_code
    raises = code.co_code[at.tb_lasti] == opmap["RAISE_VARARGS"]
    return code in handlers or (isinstance(error, KeyboardInterrupt) and not raises)


def _code(handler: Any) -> Any:
    """The code behind a handler: a function, a method, a partial or an object; None if it is none of Python's."""
    function = getattr(handler, "func", handler)
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", getattr(type(function).__call__, "__code__", None))


def is_cancellation(error: BaseException | None) -> bool:
    """True if the app stopped a run; any other exception is a failure."""
    return isinstance(error, asyncio.CancelledError | concurrent.futures.CancelledError | GeneratorExit)


def fields_text(fields: Iterable[tuple[Sequence[str | int], str]]) -> str:
    """Returns the text of a structured value as JSON, a line for each field.

    Every part of the library that reads a structured answer writes it in this way, so that all of them judge the same
    text. What is written as a number stands without quotation marks, whether the app holds it as number or text.
    """
    listed = [(tuple(path), text) for path, text in fields]
    if len(listed) == 1:
        path, text = listed[0]
        if not path or _scalar(text).startswith('"'):
            return text
    root: dict[str | int, Any] = {}
    for path, text in listed:
        here = root
        for step in path[:-1]:
            inside = here.get(step)
            here[step] = here = inside if isinstance(inside, dict) else {} if inside is None else {"": inside}
        last = path[-1] if path else ""
        held = here.get(last)
        if isinstance(held, dict):
            held.setdefault("", []).append(text)
        else:
            here[last] = [*(held or []), text]
    return _json(root, "")


def _json(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, list):  # the texts with one path: usually one
        texts = [_scalar(text) for text in value]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    if all(isinstance(step, int) for step in value):
        items: list[str] = []
        for place, item in sorted(value.items()):
            if place - len(items) <= _GAP:
                items += ["null"] * (place - len(items))
            items.append(_json(item, inner))
        return f"[\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}]"
    members = [f"{json.dumps(str(step), ensure_ascii=False)}: {_json(item, inner)}" for step, item in value.items()]
    return f"{{\n{inner}" + f",\n{inner}".join(members) + f"\n{indent}}}"


def _scalar(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return text
    return text.lower() if text in {"True", "False"} else json.dumps(text, ensure_ascii=False)


DOCUMENTS = (
    "ref_doc_id", "document_id", "doc_id", "parent_document_id", "source_id", "source", "file_path", "file_name", "url",
)  # fmt: skip
"""The document that a passage was cut from."""

SCORES = (
    "relevance_score", "rerank_score", "score", "_score", "similarity_score", "similarity", "_relevance_score",
    "@search.reranker_score", "@search.score",
)  # fmt: skip
"""Scores: the reranker's before the retriever's, as rerankers add theirs to what is there. Distances are none."""

MODALITIES = ("modality", "content_type", "mimetype", "mime_type", "file_type", "category", "type")
"""What kind of content a passage is."""

CONTEXT = {
    "request": ("trail_request", "request_id", "correlation_id"),
    "session": ("trail_session", "thread_id", "session_id", "conversation_id", "langfuse_session_id"),
    "user": ("trail_user", "user_id", "user", "langfuse_user_id"),
    "tenant": ("trail_tenant", "tenant_id", "tenant", "organization_id", "org_id"),
    "query_class": ("trail_query_class", "query_class", "query_type"),
}
"""Whose run it is, by field of a trace's context."""

VERSIONS = {
    "app": ("app_version", "release", "revision_id"),
    "model": ("model_version",),
    "prompt": ("prompt_version", "lc_hub_commit_hash"),
    "retriever": ("retriever_version",),
    "reranker": ("reranker_version",),
    "index": ("index_version", "index_build"),
    "chunker": ("chunker_version",),
}
"""Versions, by field of a trace's versions."""

TEMPLATE = "template_hash"
"""Key in the metadata of a prompt's run: the hash of its wording, as the framework shows it."""

KEYS = frozenset({
    TEMPLATE,
    "rank", "prompt_tokens", "completion_tokens", "model", "tags", *DOCUMENTS, *SCORES, *MODALITIES,
    *(key for keys in (*CONTEXT.values(), *VERSIONS.values()) for key in keys),
})  # fmt: skip


def marked(review: str) -> str:
    """Returns feedback between the marks by which `without_feedback` finds it again."""
    opening, closing = _marks()
    return f"{opening}\n\n{review}\n\n{closing}"


def without_feedback(text: str) -> str:
    """Returns a text without the feedback in it; what was written before and after stays."""
    return _block().sub("", text) if _marks()[0] in text else text


@cache
def _marks() -> tuple[str, str]:
    """Random, because whoever knows the marks can hide a text from the record, though never an answer."""
    key = secrets.token_hex(8)
    return f"<<<REVIEW {key}>>>", f"<<<END REVIEW {key}>>>"


@cache
def _block() -> re.Pattern[str]:
    opening, closing = _marks()
    return re.compile(rf"\s*{opening}.*?(?:{closing}\s*|\Z)", re.DOTALL)
