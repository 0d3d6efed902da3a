"""Why a model gave no answer, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Failure", "Kind"]

Kind: TypeAlias = Literal[
    "unreachable",
    "unauthorised",
    "busy",
    "refused",
    "length",
    "too_long",
    "rejected",
    "invalid",
    "budget",
    "failed",
]
"""What kind of failure it is, which decides whether asking again can help:

- `unreachable`: no connection, or no answer in time.
- `unauthorised`: the endpoint refused the key.
- `busy`: too many requests, or an overloaded endpoint.
- `refused`: the model, or a filter in front of it, would not answer.
- `length`: the answer was cut off at the token limit.
- `too_long`: the prompt does not fit the model.
- `rejected`: the endpoint does not accept the request.
- `invalid`: an answer came, and cannot be used.
- `budget`: the call was not made, or not waited for, to keep within the limits.
- `failed`: anything else.
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no answer. Printed as `kind: detail`.

    Attributes:
        kind: See `Kind`.
        detail: One line for people, often in the provider's words.
    """

    kind: Kind
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
