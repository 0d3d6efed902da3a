import logging

import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.models.client import connect, unlogged

instructor = pytest.importorskip("instructor")
HERE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize("model", ["gpt-5-mini", "/m", "openai/", ""])
def test_a_model_is_named_with_its_provider(model):
    with pytest.raises(JudgeError, match='expected "provider/name"'):
        connect(model, HERE, None, None)


def test_a_mode_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(JudgeError, match=r"mode is 'yaml', expected one of .*json_schema"):
        connect("openai/m", HERE, None, "yaml")


def test_a_provider_that_ignores_the_endpoint_is_refused(monkeypatch):
    elsewhere = connect("openai/m", "http://127.0.0.1:8/v1", None, None)
    monkeypatch.setattr(instructor, "from_provider", lambda *args, **kwargs: elsewhere)
    with pytest.raises(JudgeError, match=r"ignores base_url for .acme.*openai/m"):
        connect("acme/m", HERE, None, None)


def test_only_what_instructor_logs_of_our_requests_is_kept_quiet(caplog):
    logger = logging.getLogger("instructor")
    with unlogged():
        logger.error("of ours")
    logger.error("of the app's")
    assert [record.message for record in caplog.records] == ["of the app's"]
