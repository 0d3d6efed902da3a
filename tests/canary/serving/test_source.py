import os
from types import SimpleNamespace

import pytest
from small_twins import FERRY, small, twin_of

from trail_callbacks.canary.serving.exposure import SWITCH, CanaryOffError, exposed
from trail_callbacks.canary.serving.source import CanarySource, checked_arm, shared_parts
from trail_callbacks.errors import InputError

TWIN = small()


def test_a_retriever_is_left_alone_unless_an_arm_says_otherwise():
    source = CanarySource(TWIN, "real", None)
    assert source.sight(None).arm is None
    assert source.sight("fictive").arm == "fictive"
    with exposed("empty", TWIN) as exposure:
        assert source.sight(None).arm == "empty"
        assert source.sight(None).exposure is exposure
        assert source.sight("fictive").exposure is None, "it serves another arm than the code around asks for"
    assert source.outside == 3


def test_a_run_over_another_twin_is_an_error():
    source = CanarySource(TWIN, "real", None)
    other = twin_of({"d": FERRY}, [("number", "40", "50")], id_="t2")
    with exposed("fictive", other), pytest.raises(InputError, match="make one twin"):
        source.sight(None)


def test_switched_off_it_serves_real_texts_and_the_run_fails(monkeypatch):
    source = CanarySource(TWIN, "real", None)

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
    source = CanarySource(TWIN, "real", None)
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
        CanarySource("twin.json", "real", None)
    with pytest.raises(InputError, match="'real' or 'fictive'"):
        CanarySource(TWIN, "fake", None)
    with pytest.raises(InputError, match="needs index="):
        CanarySource(TWIN, "fictive", None)
    with pytest.raises(InputError, match="index= is for"):
        CanarySource(TWIN, "real", dict)
    with pytest.raises(InputError, match="unknown arm 'x'"):
        checked_arm("x")


def test_the_index_of_the_twin_is_made_once():
    made = []
    source = CanarySource(TWIN, "fictive", lambda: made.append(1) or "finder")
    assert source.fictive_finder() == source.fictive_finder() == "finder"
    assert made == [1]


def test_shared_stores_are_found_however_deep():
    class Store:
        pass

    store = Store()
    one, other = SimpleNamespace(store=store), SimpleNamespace(wrapped=[SimpleNamespace(inner=store)])
    assert shared_parts(one, other, [Store]) == ["Store"]
    assert shared_parts(one, SimpleNamespace(store=Store()), [Store]) == []
    one.itself = one
    assert shared_parts(one, one, [Store])
