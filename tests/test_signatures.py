"""What a reader sees of functions that take settings as `**settings`."""

import inspect
import pydoc
from dataclasses import dataclass
from typing import TypedDict, Unpack

import langchain_trail
import llama_index_trail
import pytest

from trail_callbacks.guard import GuardSettings
from trail_callbacks.session import CaptureSettings
from trail_callbacks.signatures import shows_settings

GUARDS = (
    langchain_trail.TrailGuard,
    langchain_trail.guarded,
    llama_index_trail.GuardedQueryEngine,
    llama_index_trail.guard_agent,
)
RECORDERS = (
    langchain_trail.TrailCallbackHandler,
    langchain_trail.trail,
    llama_index_trail.trail,
    llama_index_trail.instrument,
)


@dataclass(frozen=True)
class Boat:
    sails: int = 2
    crew: int = 4


class Keywords(TypedDict, total=False):
    crew: int


@shows_settings(Boat, Keywords, crew=5)
def launch(name: str, *, at: str = "dawn", **settings: Unpack[Keywords]) -> Boat:
    return Boat(**settings)


@pytest.mark.parametrize(
    ("settings", "function"),
    [(GuardSettings, guard) for guard in GUARDS] + [(CaptureSettings, recorder) for recorder in RECORDERS],
)
def test_every_setting_is_in_the_signature_and_in_help(settings, function):
    shown = inspect.signature(function).parameters
    assert set(settings.__dataclass_fields__) <= set(shown)
    assert "settings" not in shown
    for name, field in settings.__dataclass_fields__.items():
        assert shown[name].default == field.default
    text = pydoc.plain(pydoc.render_doc(function))
    assert all(f"{name}: " in text for name in settings.__dataclass_fields__)
