"""The trace of what was recorded: its context and its versions, from the most particular source that names them."""

from runs import Log, documents

from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.trace import Context, Versions


def test_the_context_is_what_the_run_says_before_what_holds_for_all():
    log = Log(tags=("beta",), metadata={"user_id": "u7", "page": 2})
    log.asked("Say when.")
    trace = log.done().trace(context={"tenant_id": "acme", "user_id": "nobody", "region": "eu"})
    assert trace.context == Context(
        user="u7", tenant="acme", tags=("beta",), started=100.0, ended=103.0, metadata={"page": 2, "region": "eu"}
    )


def test_versions_come_from_the_run_then_its_components_then_its_documents_then_what_holds_for_all_then_its_calls():
    log = Log(metadata={"app_version": "9"})
    log.retrieved(documents(index_version="2026-11", retriever_version="d"), metadata={"retriever_version": "r3"})
    log.asked("Say when, in one short sentence please.", attributes={"model": "large"})
    given = Versions(app="8", index="old", reranker="none")
    found = log.done().trace(versions=given).versions
    assert (found.app, found.retriever, found.index, found.reranker) == ("9", "r3", "2026-11", "none")
    assert (found.model, found.chunker, len(found.prompt)) == ("large", None, 16)


def test_documents_of_several_builds_name_all_of_them():
    log = Log()
    log.retrieved([*documents(index_version="b2")[:2], *documents(index_version="b1")[2:]])
    assert log.done().trace().versions.index == "b2, b1"


def test_a_graph_that_is_built_already_is_not_built_again():
    log = Log()
    log.retrieved(documents())
    graph = log.done().trace().graph
    assert log.trace(graph=graph).graph is graph


def test_what_was_known_before_the_run_is_part_of_it():
    first = Log()
    first.retrieved(documents())
    first.packed(documents(), "\n".join(piece.text for piece in documents()))
    before = Earlier.before(first.done().trace().graph, turns=8)
    trace = first.trace(earlier=before)
    assert trace.earlier is before
