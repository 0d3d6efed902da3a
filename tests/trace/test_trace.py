"""What a recorded run shows of its evidence path: retrieved, reranked, packed, read."""

from dataclasses import replace

import pytest
from planted_runs import planted_run
from runs import QUESTION, TEXTS, Log, documents, moved

from trail_callbacks import verify
from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Piece, RunEnded
from trail_callbacks.trace import Trace


def reasons(packing):
    return [piece.dropped for piece in packing.pieces]


def order(packing):
    return [piece.order for piece in packing.pieces]


def together(pieces):
    return "\n\n".join(piece.text for piece in pieces)


# -- retrieval


def test_a_retrieval_has_what_was_asked_and_what_came_with_rank_score_and_identity():
    log = Log()
    log.retrieved(documents(scores=[0.9, -0.25]), query="bridge  opening")
    (found,) = log.done().trace().retrievals
    assert (found.run_id, found.step, found.query, found.raw_query) == ("run-2", "search", "bridge  opening", QUESTION)
    assert (found.rewritten, found.started, found.seconds, found.error) == (True, 101.0, 1.0, None)
    assert [each.rank for each in found.candidates] == [1, 2, 3, 4]
    assert [each.score for each in found.candidates] == [0.9, -0.25, None, None]
    assert [each.id for each in found.candidates] == ["id-0", "id-1", "id-2", "id-3"]
    assert [each.document_id for each in found.candidates] == ["0.md", "1.md", "2.md", "3.md"]
    assert found.candidates[0].attributes == {"source": "0.md", "score": 0.9}
    assert [each.text for each in found.candidates] == list(TEXTS)


def test_a_passage_keeps_its_hash_when_the_index_is_rebuilt():
    first, second = Log(), Log()
    first.retrieved(documents())
    again = [replace(piece, id=f"other-{piece.id}", text=piece.text.replace(" ", "\n")) for piece in documents()]
    second.retrieved(again)
    before, after = (log.done().trace().retrievals[0].candidates for log in (first, second))
    assert [each.hash for each in before] == [each.hash for each in after]
    assert len({each.hash for each in before}) == 4
    assert {each.id for each in before}.isdisjoint(each.id for each in after)


@pytest.mark.parametrize("said", ["nan", "inf", "-inf", "high", None, True])
def test_a_score_that_is_no_finite_number_is_none_and_the_trace_says_so(said):
    log = Log()
    log.retrieved(documents(scores=[said, 0.5]))
    trace = log.done().trace()
    assert [each.score for each in trace.retrievals[0].candidates] == [None, 0.5, None, None]
    note = "1 candidate has a score that is not a finite number: it counts as one without a score"
    assert (note in trace.warnings) == (said in {"nan", "inf", "-inf"})


def test_a_modality_is_read_from_metadata():
    named = {"modality": "table", "type": "Image", "category": "NarrativeText", "mimetype": "image/png"}
    pieces = [
        replace(piece, attributes={key: value}) for piece, (key, value) in zip(documents(), named.items(), strict=True)
    ]
    log = Log()
    log.retrieved(pieces)
    assert [each.modality for each in log.done().trace().retrievals[0].candidates] == [
        "table",
        "image",
        "text",
        "image",
    ]


def test_a_tool_that_brings_a_text_is_a_retrieval_and_one_around_a_retriever_is_none():
    log = Log()
    log.did("tool", [Piece(text='{"city": "Oslo"}')], [Piece(text="It rains in Oslo until Friday.")], name="weather")
    outer = log.start("tool", Piece(text="bridge"), name="library")
    log.retrieved(documents(), query="bridge", parent=outer)
    log.end(outer, Piece(text=together(documents())))
    found = log.done().trace().retrievals
    assert [(each.step, len(each.candidates)) for each in found] == [("weather", 1), ("search", 4)]
    assert found[0].candidates[0].text == "It rains in Oslo until Friday."
    assert found[0].query == '{"city": "Oslo"}'


def test_a_retrieval_after_the_answer_says_so():
    log = Log()
    log.packed(documents(), together(documents()))
    log.retrieved(documents())
    trace = log.done().trace()
    assert [each.after_answer for each in trace.retrievals] == [True]
    assert any(note.startswith("search began after the last model had ended") for note in trace.warnings)


def test_the_same_passage_from_two_retrievers_is_a_candidate_of_both_and_one_in_the_prompt():
    log = Log()
    log.retrieved(documents(), name="dense")
    log.retrieved(moved(documents(), 2, 0), name="sparse")
    log.packed(documents(), together(documents()))
    trace = log.done().trace()
    dense, sparse = trace.retrievals
    assert [each.node_id for each in sparse.candidates] == [dense.candidates[2].node_id, dense.candidates[0].node_id]
    assert order(trace.packings[0]) == [1, 2, 3, 4]


def test_ids_that_change_on_the_way_do_not_part_a_passage_from_itself():
    log = Log()
    log.retrieved(documents())
    renamed = [replace(piece, id=f"new-{i}") for i, piece in enumerate(moved(documents(), 3, 1))]
    log.did("chain", documents(), renamed, name="rerank")
    trace = log.done().trace()
    assert [(each.rank_in, each.rank_out) for each in trace.rerankings[0].ranked] == [
        (1, None),
        (2, 2),
        (3, None),
        (4, 1),
    ]


# -- reranking


def test_a_step_that_orders_anew_and_drops_has_ranks_before_and_after():
    log = Log()
    log.retrieved(documents(scores=[0.9, 0.8, 0.7, 0.6]))
    after = moved(documents(scores=[0.9, 0.8, 0.7, 0.6]), 2, 0)
    scored = [
        replace(piece, attributes={**piece.attributes, "relevance_score": 0.99 - i}) for i, piece in enumerate(after)
    ]
    log.did("chain", documents(scores=[0.9, 0.8, 0.7, 0.6]), scored, name="rerank")
    trace = log.done().trace()
    (step,) = trace.rerankings
    assert (step.step, [(each.rank_in, each.rank_out) for each in step.ranked]) == (
        "rerank",
        [(1, 2), (2, None), (3, 1), (4, None)],
    )
    assert [each.score for each in step.ranked] == [pytest.approx(-0.01), None, 0.99, None]
    assert [each.node_id for each in step.ranked] == [each.node_id for each in trace.retrievals[0].candidates]


def test_code_that_passes_documents_on_is_no_reranking():
    log = Log()
    log.retrieved(documents())
    log.did("chain", documents(), documents(), name="log")
    log.did("chain", documents(), [Piece(text=together(documents()))], name="pack")
    assert log.done().trace().rerankings == ()


def test_a_filter_that_drops_everything_is_one():
    log = Log()
    log.retrieved(documents())
    log.did("chain", documents(), [], name="threshold")
    (step,) = log.done().trace().rerankings
    assert [each.rank_out for each in step.ranked] == [None] * 4


def test_a_retriever_around_others_reranks_what_they_brought():
    log = Log()
    outer = log.start("retriever", Piece(text=QUESTION), name="fusion")
    log.retrieved(documents()[:3], name="dense", parent=outer)
    log.retrieved(moved(documents(), 3, 0), name="sparse", parent=outer)
    log.end(outer, *moved(documents(), 0, 3))
    trace = log.done().trace()
    assert [each.step for each in trace.retrievals] == ["dense", "sparse"]
    (fusion,) = trace.rerankings
    assert fusion.step == "fusion"
    assert [(each.rank_in, each.rank_out) for each in fusion.ranked] == [(1, 1), (2, None), (3, None), (1, 2)]


def test_a_filter_that_notes_why_gives_its_reasons():
    note = {"kept": False, "reasons": [{"kind": "instruction"}, {"kind": "off_topic"}]}
    pieces = documents()
    noted = (replace(pieces[0], attributes={**pieces[0].attributes, "filter": note}), *pieces[1:])
    log = Log()
    log.retrieved(pieces)
    run = log.start("chain", *pieces, name="TrailContextFilter")
    log.end(run, *pieces[1:], inputs=noted)
    (step,) = log.done().trace().rerankings
    assert [each.reason for each in step.ranked] == ["instruction, off_topic", None, None, None]
    assert step.ranked[0].rank_out is None


# -- packing


def test_what_a_prompt_holds_has_its_place_its_tokens_and_its_share():
    log = Log()
    log.retrieved(documents())
    log.packed(documents(), together(moved(documents(), 3, 0, 1, 2)))
    (packing,) = log.done().trace().packings
    assert order(packing) == [2, 3, 4, 1]
    assert [piece.arrived for piece in packing.pieces] == [1.0] * 4
    assert all(8 <= piece.tokens <= 16 for piece in packing.pieces)
    assert sum(piece.tokens for piece in packing.pieces) < packing.tokens < 90
    assert packing.step == "answerer"


def test_what_a_reranker_dropped_and_what_ranks_too_low_are_told_apart():
    log = Log()
    log.retrieved(documents())
    kept = moved(documents(), 2, 0, 1)
    log.did("chain", documents(), kept, name="rerank")
    log.packed(kept, together(kept[:2]))
    assert reasons(log.done().trace().packings[0]) == [None, "cutoff", None, "reranker"]


def test_a_long_passage_that_was_skipped_for_shorter_ones_is_out_of_budget():
    texts = (*TEXTS[:2], " ".join(f"Pier {i} of the bridge stands on rock." for i in range(40)), TEXTS[3])
    log = Log()
    log.retrieved(documents(texts))
    log.packed(documents(texts), "\n\n".join((*texts[:2], texts[3])))
    assert reasons(log.done().trace().packings[0]) == [None, None, "budget", None]


def test_a_context_that_ends_inside_a_passage_cut_those_after_it_to_nothing():
    log = Log()
    log.retrieved(documents())
    log.packed(documents(), together(documents())[:80])
    (packing,) = log.done().trace().packings
    assert reasons(packing) == [None, None, "cut", "cut"]
    assert (packing.pieces[0].arrived, 0.5 < packing.pieces[1].arrived < 1.0) == (1.0, True)


def test_a_passage_whose_own_text_was_cut_to_nothing_is_no_dropped_one():
    log = Log()
    log.retrieved(documents())
    cut = [replace(piece, text=piece.text[: 100 if i < 2 else 0]) for i, piece in enumerate(documents())]
    log.did("chain", documents(), cut, name="shorten")
    log.packed(cut, together(cut))
    assert reasons(log.done().trace().packings[0]) == [None, None, "cut", "cut"]


def test_a_shortened_passage_arrives_in_part():
    long = "The bridge opened in 1968 and was painted red. " + "It was painted again in each decade since then. " * 3
    log = Log()
    log.retrieved(documents((long,)))
    cut = [replace(documents((long,))[0], text="The bridge opened in 1968 and was painted red.")]
    log.did("chain", documents((long,)), cut, name="extract")
    log.packed(cut, together(cut))
    (piece,) = log.done().trace().packings[0].pieces
    assert (piece.order, piece.dropped) == (1, None)
    assert piece.arrived == pytest.approx(46 / len(long.strip()), abs=0.01)


def test_a_prompt_without_any_candidate_does_not_guess_why():
    log = Log()
    log.retrieved(documents())
    log.asked(f"Answer from what you know.\n\nQuestion: {QUESTION}")
    assert set(reasons(log.done().trace().packings[0])) == {"unknown"}


def test_passages_inside_the_result_of_a_tool_reach_the_prompt_that_shows_it():
    log = Log()
    tool = log.start("tool", Piece(text="bridge"), name="library")
    log.retrieved(documents(), query="bridge", parent=tool)
    log.end(tool, Piece(text=together(documents())))
    log.asked(f"Tool: {together(documents())}\nQuestion: {QUESTION}")
    assert order(log.done().trace().packings[0]) == [1, 2, 3, 4]


def test_the_packing_of_a_call_that_failed_is_read_from_its_prompt():
    log = Log()
    log.retrieved(documents())
    run = log.start("model", Piece(text=f"Context: {together(documents()[:2])}\nQuestion: {QUESTION}"), name="answerer")
    log.fail(run, "RateLimitError: slow down")
    log.fail(log.root, "RateLimitError: slow down")
    trace = log.trace()
    assert order(trace.packings[0]) == [1, 2, None, None]
    assert (trace.calls[0].error, trace.calls[0].answers) == ("RateLimitError: slow down", False)
    assert "the run failed (RateLimitError: slow down): there is no answer" in trace.warnings


# -- calls


def test_a_call_has_model_tokens_and_time_and_says_whether_it_answered():
    log = Log()
    log.asked(f"Is this a question about bridges? {QUESTION}", "yes, it is one", attributes={"model": "small"})
    log.retrieved(documents())
    log.packed(documents(), together(documents()))
    trace = log.done().trace()
    assert [(call.model, call.answers, call.seconds) for call in trace.calls] == [
        ("small", False, 1.0),
        (None, True, 1.0),
    ]
    counted = Log()
    counted.asked("Say when.", attributes={"model": "large", "prompt_tokens": 12, "completion_tokens": 5})
    (call,) = counted.done().trace().calls
    assert (call.model, call.prompt_tokens, call.completion_tokens) == ("large", 12, 5)


def test_the_hash_of_a_prompt_depends_on_the_template_alone():
    def hashed(texts, instruction):
        log = Log()
        log.retrieved(documents(texts))
        log.asked(f"{instruction}\n{together(documents(texts))}\nQuestion: {QUESTION}")
        return log.done().trace().calls[0].prompt_hash

    first = hashed(TEXTS, "Answer briefly, from these passages and nothing else.")
    assert first == hashed(TEXTS[:2], "Answer briefly, from these passages and nothing else.")
    assert first != hashed(TEXTS, "Answer at length, from these passages and your own knowledge.")


# -- the whole


def test_a_run_without_any_retrieval_is_a_value_with_a_warning():
    log = Log()
    log.asked(f"Question: {QUESTION}")
    trace = log.done().trace()
    assert (trace.retrievals, trace.rerankings, trace.packings, len(trace.calls)) == ((), (), (), 1)
    assert trace.warnings == ("no retrieval was recorded",)


def test_a_run_that_goes_on_has_what_it_did_so_far():
    log = Log()
    log.retrieved(documents())
    log.start("model", Piece(text=together(documents())), name="answerer")
    trace = log.trace()
    assert (trace.answer, trace.context.ended, len(trace.retrievals), len(trace.calls)) == (None, None, 1, 1)
    assert "the run has not ended: there is no answer yet" in trace.warnings
    log.fail(log.root, "GraphInterrupt", status="paused")
    assert "the run was interrupted and waits to be resumed: there is no answer yet" in log.trace().warnings
    assert "1 step has no end: answerer" in log.trace().warnings


def test_a_trace_is_verified_as_its_graph_is():
    log = Log()
    log.retrieved(documents())
    log.packed(documents(), together(documents()))
    trace = log.done().trace()
    report, same = verify(trace), verify(trace.graph)
    assert (report.trace_id, same.trace_id) == ("run-1", None)
    assert (report.graph, report.verdicts) == (build(log.events), same.verdicts)


def test_thousands_of_candidates_are_read_in_the_order_of_the_prompt():
    texts = [" ".join(f"w{i * 7 + n}" for n in range(9)) for i in range(3_000)]
    log = Log()
    log.retrieved(documents(texts))
    log.packed(documents(texts), "\n".join(reversed(texts[:300])))
    (packing,) = log.done().trace().packings
    assert order(packing)[:300] == list(range(300, 0, -1))
    assert set(reasons(packing)[300:]) == {"cutoff"}


def test_a_map_reads_each_candidate_in_one_of_its_calls():
    log = Log()
    log.retrieved(documents())
    for text in TEXTS:
        log.asked(f"Summarise this passage in a few words for the question: {QUESTION}\n{text}", text[:30])
    trace = log.done(TEXTS[0][:30]).trace()
    assert [[piece.order for piece in packing.pieces].index(1) for packing in trace.packings] == [0, 1, 2, 3]


def test_what_planted_runs_quote_arrives_and_in_the_share_that_was_planted():
    off, arrived = [], 0
    for seed in range(40):
        planted = planted_run(seed)
        trace = Trace(id=str(seed), events=tuple(planted.events))
        wrote = {event.run_id: event.outputs[0].text for event in planted.events if isinstance(event, RunEnded)}
        for packing in trace.packings:
            for piece in packing.pieces:
                quoted = trace.graph.node(piece.node_id).text, wrote[packing.run_id]
                if quoted in planted.links and quoted not in planted.unsure:
                    assert piece.order is not None, quoted
                    arrived += 1
                    off.append(abs(piece.arrived - planted.links[quoted][1]))
    assert arrived > 200
    assert sum(off) / len(off) < 0.01


def test_of_two_documents_with_the_same_text_both_arrive():
    twin = replace(documents()[0], id="copy", attributes={"source": "copy.md"})
    log = Log()
    log.retrieved([*documents(), twin])
    log.packed([*documents(), twin], together(documents()))
    trace = log.done().trace()
    assert len({each.node_id for each in trace.retrievals[0].candidates}) == 5
    (packing,) = trace.packings
    assert [piece.arrived for piece in packing.pieces] == [1.0] * 5
    assert sorted(order(packing)) == [1, 2, 3, 4, 5]


def test_documents_whose_metadata_has_an_id_too_are_told_apart():
    pieces = [
        replace(documents()[0], id=f"chunk-{i}", attributes={"id": f"row-{i}", "source": "a.md"}, path=("documents", i))
        for i in range(2)
    ]
    log = Log()
    log.retrieved(pieces)
    first, second = log.done().trace().retrievals[0].candidates
    assert (first.id, second.id) == ("chunk-0", "chunk-1")
    assert first.node_id != second.node_id
