"""The tokens of a model call, as the provider counted them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["usage_of"]

_READ = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
_WRITTEN = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count")
_USAGE = ("usage", "usage_metadata")


def usage_of(response: Any) -> dict[str, int]:
    """Returns `prompt_tokens` and `completion_tokens` of a response, as far as it says; providers name them variously.

    Args:
        response: A chat or completion response; of a stream, the last one.
    """
    try:
        raw = getattr(response, "raw", None)
        places = [getattr(response, "additional_kwargs", None), *(_field(raw, name) for name in _USAGE), raw]
        found = {"prompt_tokens": _first(places, _READ), "completion_tokens": _first(places, _WRITTEN)}
    except Exception:  # noqa: BLE001 - an object of the provider's, which may raise anything; the answer is what counts
        return {}
    return {key: value for key, value in found.items() if value is not None}


def _first(places: list[Any], names: tuple[str, ...]) -> int | None:
    values = (_field(place, name) for place in places for name in names)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def _field(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
