"""What a reader sees of functions that take settings as `**settings`."""

import inspect
import pydoc
from dataclasses import dataclass
from typing import TypedDict, Unpack

import langchain_trail
import llama_index_trail
import pytest
from langchain_core.runnables import RunnableLambda

from trail_callbacks import VerifyOptions
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


def guard(**given):
    return langchain_trail.guarded(RunnableLambda(str), judge="local", **given)


@pytest.mark.parametrize("made", [*RECORDERS, guard])
def test_an_unknown_setting_is_refused_with_the_nearest_and_where_all_are(made):
    near = "sample_rate" if made in RECORDERS else "on_fail"
    wrong = near.replace("a", "aa")
    with pytest.raises(
        TypeError, match=rf"no setting '{wrong}': did you mean '{near}'\? see trail_callbacks\.\w+\.settings"
    ):
        made(**{wrong: 1})


def test_an_unknown_option_of_a_verification_is_refused_likewise():
    with pytest.raises(TypeError, match="did you mean 'read_tokens'"):
        VerifyOptions(read_token=1)
    with pytest.raises(TypeError, match="no setting 'xyzzy', see trail_callbacks"):
        VerifyOptions(xyzzy=1)
