import os
from types import SimpleNamespace

import pytest
from small_twins import FERRY, small, twin_of

from trail_callbacks.canary.serving.exposure import SWITCH, CanaryOffError, checked_arm, exposed
from trail_callbacks.canary.serving.source import CanarySource, Framework
from trail_callbacks.errors import InputError

TWIN = small()


PLAIN = Framework(
    retriever=SimpleNamespace,
    read=lambda text: (text, None, {}),
    write=lambda text, new, metadata: new or text,
    shown=str,
)
FOUND = SimpleNamespace()


def source_of(twin=TWIN):
    return CanarySource(FOUND, twin, PLAIN)


def test_a_retriever_is_left_alone_unless_an_arm_says_otherwise():
    source = source_of()
    assert source.sight(None).arm is None
    assert source.sight("fictive").arm == "fictive"
    with exposed("empty", TWIN) as exposure:
        assert source.sight(None).arm == "empty"
        assert source.sight(None).exposure is exposure
        assert source.sight("fictive").exposure is None, "it serves another arm than the code around asks for"
    assert source.outside == 3


def test_a_run_over_another_twin_is_an_error():
    source = source_of()
    other = twin_of({"d": FERRY}, [("number", "40", "50")], id_="t2")
    with exposed("fictive", other), pytest.raises(InputError, match="make one twin"):
        source.sight(None)


def test_switched_off_it_serves_real_texts_and_the_run_fails(monkeypatch):
    source = source_of()

    def run():
        with exposed("fictive", TWIN):
            assert source.sight(None).arm == "fictive"
            monkeypatch.setenv(SWITCH, "off")
            assert source.sight(None).is_untouched

    with pytest.raises(CanaryOffError, match="says nothing"):
        run()
    assert source.sight("fictive").is_untouched


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_what_a_child_process_is_served_nobody_would_know():
    source = source_of()
    with exposed("fictive", TWIN) as exposure:
        if (child := os.fork()) == 0:
            try:
                source.sight(None)
            except InputError as error:
                os._exit(0 if "child process" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert source.sight(None).exposure is exposure


def test_bad_arguments_say_what_to_do():
    with pytest.raises(InputError, match="perturb"):
        source_of("twin.json")
    with pytest.raises(InputError, match="unknown arm 'x'"):
        checked_arm("x")


def test_what_has_no_place_is_left_out_and_said():
    source = source_of()
    with exposed("fictive", TWIN) as exposure:
        assert source.served([FERRY, "It takes 40 minutes."], source.sight(None)) == [TWIN.fictive["ferry.md"].text]
    (dropped,) = exposure.dropped
    assert "states what an edit changed" in dropped.why
