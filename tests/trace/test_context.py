"""Whose run it was, and which versions answered, by the keys that apps use."""

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.trace import Context, Versions
from trail_callbacks.trace.context import context_of, given_versions, versions_of


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("request", ("trail_request", "request_id", "correlation_id")),
        ("session", ("trail_session", "thread_id", "session_id", "conversation_id", "langfuse_session_id")),
        ("user", ("trail_user", "user_id", "user", "langfuse_user_id")),
        ("tenant", ("trail_tenant", "tenant_id", "tenant", "organization_id", "org_id")),
        ("query_class", ("trail_query_class", "query_class", "query_type")),
    ],
)
def test_each_field_is_read_from_the_usual_keys_the_first_of_them_before_the_others(field, keys):
    for key in keys:
        assert context_of({key: "it", "page": 3}) == Context(**{field: "it"}, metadata={"page": 3})
    assert getattr(context_of({key: f"by {key}" for key in reversed(keys)}), field) == f"by {keys[0]}"


def test_numbers_are_ids_too_and_blank_texts_and_truth_values_of_none_are_not():
    assert context_of({"user_id": 7, "thread_id": 0}) == Context(user="7", session="0")
    assert context_of({"user_id": " ", "session_id": None, "tenant_id": ["a"]}) == Context()


def test_tags_of_the_run_come_before_those_in_its_metadata_each_once():
    assert context_of({"tags": ["b", "a"]}, ("a", "c")).tags == ("a", "c", "b")


def test_versions_are_read_from_metadata():
    said = {
        "app_version": "1.4", "model_version": "m2", "lc_hub_commit_hash": "abc", "retriever_version": "r",
        "reranker_version": 3, "index_build": "nightly", "chunker_version": "512/64", "other": "x",
    }  # fmt: skip
    known = Versions(
        app="1.4", model="m2", prompt="abc", retriever="r", reranker="3", index="nightly", chunker="512/64"
    )
    assert versions_of(said) == known
    assert versions_of({**said, "index_version": "v9", "prompt_version": "p2"}).index == "v9"


def test_versions_that_an_app_gives_are_checked():
    assert given_versions({"index": "2026-11-20"}) == Versions(index="2026-11-20")
    assert given_versions(None) == Versions()
    with pytest.raises(InputError, match=r"versions has the name 'idx', expected some of app, model, prompt"):
        given_versions({"idx": "1"})
    with pytest.raises(InputError, match=r"versions\['index'\] is int, expected a text"):
        given_versions({"index": 3})
