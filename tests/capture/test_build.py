from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from runlog import RunLog, document, message, text

from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Piece

OAK = "The oak by the mill was planted in 1703 by the miller Anselm Rook."
ELM = "The elm on the green fell in the storm of 1911 and was never replaced."
ASKED = "How old is the oak by the mill?"
SAID = "It has stood there for over three centuries."


def by_text(graph, part):
    (node,) = [node for node in graph.nodes if part in node.text]
    return node


def edge(graph, source, target):
    ids = by_text(graph, source).id, by_text(graph, target).id
    return next((e for e in graph.edges if (e.source, e.target) == ids), None)


def test_retrieved_text_is_linked_through_a_joined_prompt():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("retriever", [text(ASKED)], [document(OAK, 0, id="a"), document(ELM, 1, id="b")])
        log.did("model", [message(f"Use this:\n{OAK}\n\n{ELM}\nQuestion: {ASKED}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert graph.answer.text == SAID
    assert graph.question.text == ASKED
    assert {leaf.text for leaf in graph.leaves()} >= {OAK, ELM, ASKED}
    assert edge(graph, OAK, SAID).basis == "matched"
    assert edge(graph, OAK, SAID).coverage == 1.0
    assert edge(graph, ASKED, OAK).basis == "declared"
    assert [node.stage for node in (graph.question, by_text(graph, OAK), graph.answer)] == [0, 1, 2]


def test_part_of_a_text_gives_partial_coverage():
    long = " ".join(f"In year {n} the keeper counted {n * 3} herons on the lower pond." for n in range(60))
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("retriever", [text(ASKED)], [document(long, 0)])
        log.did("model", [message(f"Context: {long[: len(long) // 2]}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert 0.4 < edge(graph, "heron", SAID).coverage < 0.6


def test_a_near_duplicate_that_was_not_quoted_is_not_linked():
    twins = [
        f"In {y} the weir was kept by {who}, who noted the height of the water every morning at six."
        for y, who in ((1850, "Ada Moss"), (1861, "Ben Tarn"))
    ]
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("retriever", [text(ASKED)], [document(t, i) for i, t in enumerate(twins)])
        log.did("model", [message(f"Summarise: {twins[0]}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert edge(graph, "Ada Moss", SAID)
    assert edge(graph, "Ben Tarn", SAID) is None


def test_a_prompt_passes_on_the_variables_it_names_only():
    log = RunLog()
    with log.run("chain", text("go", "q")) as out:
        with log.run("chain", text("go", "q"), sequence=1) as parallel:
            for key in ("a", "b"):
                with log.run("chain", text("go", "q"), branch=key) as branch:
                    log.did(
                        "model", [message(f"Vote {key} on the new bridge")], [message("yes", "assistant")], name=key
                    )
                    branch.append(text("yes"))
                parallel.append(text("yes", key))
        shown = [message("First vote: yes")]
        log.did("prompt", [text("yes", "a"), text("yes", "b")], shown, variables=("a",), sequence=2)
        log.did("model", shown, [message(SAID, "assistant")], sequence=3)
        out.append(text(SAID))
    graph = build(log.events)
    assert [node.step for node in graph.inputs(graph.answer.id) if node.text == "yes"] == ["a"]


def test_prompt_text_that_nothing_explains_is_an_instruction():
    rule = "Heights are counted from the river bed, not from the bank."
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("model", [message(rule, "system"), message(ASKED)], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert by_text(graph, rule).kind == "instruction"
    assert not any(node.kind == "instruction" and ASKED in node.text for node in graph.nodes)


def test_a_tool_that_is_itself_a_model_gives_no_new_evidence():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        with log.run("tool", text(ASKED, "q"), name="ask_expert") as tool:
            log.did(
                "model", [message(f"Expert, {ASKED}")], [message("It is about three hundred years old.", "assistant")]
            )
            tool.append(text("It is about three hundred years old."))
        log.did("model", [message("Expert said: It is about three hundred years old.")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert by_text(graph, "three hundred").kind == "completion"
    assert not any("three hundred" in leaf.text for leaf in graph.leaves())


def test_tool_calls_link_by_id_and_show_their_arguments():
    log = RunLog()
    call = 'lookup({"tree": "oak"})'
    with log.run("chain", message(ASKED, "user", "messages", 0)) as out:
        log.did(
            "model", [message(ASKED)], [message(call, "assistant", id="m1"), text(call, form="tool_call", call_id="c1")]
        )
        log.did("tool", [text("oak", "tree")], [message(OAK, "tool", call_id="c1")], call_id="c1", name="lookup")
        log.did(
            "model",
            [message(ASKED), message(call, "assistant", id="m1"), message(OAK, "tool", call_id="c1")],
            [message(SAID, "assistant")],
        )
        out.append(message(SAID, "assistant"))
    graph = build(log.events)
    assert by_text(graph, OAK).kind == "tool_result"
    assert edge(graph, "lookup(", OAK).basis == "declared"
    assert edge(graph, OAK, SAID).basis == "declared"


def test_the_same_document_for_two_queries_is_one_node_unless_that_made_a_cycle():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("retriever", [text(ASKED)], [document(OAK, id="a")])
        log.did("retriever", [text(ASKED)], [document(OAK, id="a")])
        log.did("model", [message(f"Next query for: {OAK}")], [message("miller Anselm Rook biography", "assistant")])
        log.did("retriever", [text("miller Anselm Rook biography")], [document(OAK, id="a")])
        log.did("model", [message(f"Answer from: {OAK}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert len([node for node in graph.nodes if node.text == OAK]) == 2


def test_a_run_that_raised_keeps_its_graph_without_an_answer():
    log = RunLog()
    root = log.start("chain", text(ASKED))
    log._stack.append(root)
    log.did("retriever", [text(ASKED)], [document(OAK)])
    log.fail(root)
    graph = build(log.events)
    assert graph.answer is None
    assert by_text(graph, OAK) in graph.leaves()


def test_untraced_retrieval_in_code_is_a_document():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("chain", [text(ASKED)], [text(f"{OAK}\n{ELM}")], name="search_archive")
        log.did("model", [message(f"{OAK}\n{ELM}\n{ASKED}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert by_text(graph, OAK).kind == "document"
    assert by_text(graph, OAK).step == "search_archive"


def test_the_fields_of_a_structured_answer_are_all_kept():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("model", [message(ASKED)], [message('{"age": 322, "kind": "english oak tree"}', "assistant")])
        log.did(
            "parser",
            [message('{"age": 322, "kind": "english oak tree"}', "assistant")],
            [text("322", "age"), text("english oak tree", "kind")],
        )
        out += [text("322", "age"), text("english oak tree", "kind")]
    assert build(log.events).answer.text == '{\n  "age": 322,\n  "kind": "english oak tree"\n}'


def test_a_thousand_steps_deep_is_no_recursion_error():
    log = RunLog()
    with log.run("chain", text(OAK)) as out:
        for n in range(1, 1501):
            log.did("chain", [text(OAK)], [text(OAK)], sequence=n)
        log.did("model", [message(OAK)], [message(SAID, "assistant")], sequence=1501)
        out.append(text(SAID))
    assert edge(build(log.events), OAK, SAID)


@pytest.mark.parametrize("rewrite", [str.upper, lambda t: " ".join(reversed(t.split())), lambda t: t[:30]])
def test_text_rewritten_by_code_stays_linked(rewrite):
    log = RunLog()
    with log.run("chain", text(OAK)) as out:
        log.did(
            "model",
            [message(f"Shorten: {OAK}")],
            [message("An oak of 1703 stands there near the old mill.", "assistant")],
        )
        changed = rewrite("An oak of 1703 stands there near the old mill.")
        log.did("chain", [text("An oak of 1703 stands there near the old mill.")], [text(changed)])
        log.did("model", [message(changed)], [message(SAID, "assistant")])
        out.append(text(SAID))
    link = edge(build(log.events), "An oak of 1703", SAID)
    assert link.basis != "scope"
    assert link.coverage > 0


def test_an_answer_that_only_unseen_code_wrote_is_no_evidence_for_itself():
    log = RunLog()
    with log.run("chain", text("When was the lighthouse rebuilt?"), name="app") as out:
        with log.run("chain", text("When was the lighthouse rebuilt?"), name="thread") as inner:
            inner.append(text("The lighthouse of Genoa was rebuilt in 1543 by monks from the hills."))
        out.append(inner[0])
    graph = build(log.events)
    assert graph.answer.attributes["untraced"]
    assert {leaf.kind for leaf in graph.leaves()} == {"question"}


def test_what_code_loaded_beside_recorded_steps_stays_a_document():
    log = RunLog()
    with log.run("chain", text("When was the lighthouse rebuilt?"), name="app") as out:
        log.did("chain", [text("When?")], [text("The lighthouse of Genoa was rebuilt in 1543.")], name="load")
        prompt = message("Use this: The lighthouse of Genoa was rebuilt in 1543.")
        log.did("model", [prompt], [message("It was in 1543.", "assistant")])
        out.append(message("It was in 1543.", "assistant"))
    graph = build(log.events)
    assert "untraced" not in graph.answer.attributes
    assert "document" in {leaf.kind for leaf in graph.leaves()}


def test_a_retriever_with_parts_inside_hands_on_the_document_that_it_brought():
    """What stood behind its output, looked up while that was decided, must not take the document's place."""
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        with log.run("retriever", text(ASKED)) as found:
            log.did("model", [message("Which of these? 1. trees 2. storms")], [message("ANSWER: 1", "assistant")])
            log.did("retriever", [text(ASKED)], [document("A note on trees.", 0, id="note")])
            found.append(document(OAK, 0, id="oak"))
        log.did("model", [message(f"Use this:\n{OAK}\nQuestion: {ASKED}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert edge(graph, OAK, SAID).coverage == 1.0
    assert edge(graph, "A note on trees.", SAID) is None


@pytest.mark.parametrize("asked", ["the oak by the mill", "1703", "Anselm Rook"])
def test_a_document_that_names_what_was_asked_for_is_a_source_all_the_same(asked):
    log = RunLog()
    with log.run("chain", text(asked)) as out:
        log.did("chain", [text(asked)], [document(OAK, 0, id="a")])
        log.did("model", [message(f"Use this:\n{OAK}\nQuestion: {asked}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert by_text(graph, OAK).kind == "document"
    assert edge(graph, OAK, SAID) is not None


def test_origins_say_who_wrote_each_text():
    log = RunLog()
    with log.run("chain", text(ASKED, "question"), text("The mill has 4 wings.", "kb"), name="app") as out:
        log.did("retriever", [text(ASKED)], [document(OAK)])
        log.did("tool", [text("7")], [message("Seven trees stand there.", "tool")], name="count")
        shown = [message("Be brief and only use what is given.", "system"), message(f"{OAK}\nThe mill has 4 wings.")]
        log.did("model", shown, [message(SAID, "assistant")])
        out.append(text(SAID))
    origins = {node.text: node.origin for node in build(log.events).nodes}
    assert origins == {
        ASKED: "user",
        "The mill has 4 wings.": "given",
        OAK: "retrieved",
        "Seven trees stand there.": "tool",
        "Be brief and only use what is given.": "template",
        SAID: "model",
    }


def test_a_system_message_is_the_wording_of_a_prompt_also_where_code_writes_it():
    rule = "Be brief and only use what is given."
    shown = [message(f"{rule}\n{OAK}", "system"), message(ASKED)]
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        log.did("retriever", [text(ASKED)], [document(OAK)])
        log.did("chain", [text(ASKED)], shown)
        log.did("model", shown, [message(SAID, "assistant")])
        out.append(text(SAID))
    assert by_text(build(log.events), rule).origin == "template"


def test_a_tool_that_echoes_its_arguments_is_no_evidence_and_what_it_adds_is():
    log = RunLog()
    invented = "The oak fell in 2019."
    call = f'note({{"text": "{invented}"}})'
    with log.run("chain", message(ASKED)) as out:
        log.did("model", [message(ASKED)], [Piece(text=call, form="tool_call", call_id="c1")])
        with log.run("tool", text(invented, "text"), name="note", call_id="c1") as result:
            result.append(message(f"Saved: {invented} The notebook holds 7 notes by now.", "tool", call_id="c1"))
        log.did("model", [message(ASKED), result[0]], [message(SAID, "assistant")])
        out.append(message(SAID, "assistant"))
    graph = build(log.events)
    found = next(node for node in graph.nodes if node.kind == "tool_result")
    assert found.origin == "tool"
    assert [found.text[start:end] for start, end in found.model_spans] == ["Saved: The oak fell in 2019"]
    assert found in graph.leaves()


@pytest.mark.parametrize("key", ["last_answer", "trail", "draft", "chat_history"])
def test_a_models_text_in_another_key_of_the_state_stays_a_models(key):
    log = RunLog()
    history = [message(ASKED, "user", "messages", 0), message("The oak fell in 2019.", "assistant", "messages", 1)]
    state = [*history, text("The oak fell in 2019.", key)]
    with log.run("chain", message("And now?", "user", "messages", 0), name="graph") as out:
        with log.run("chain", *state, message("And now?", "user", "messages", 2), name="node", channels=True) as told:
            prompt = message("Before that you said: The oak fell in 2019. Go on from there, please.", "system")
            log.did("model", [prompt, *history, message("And now?")], [message("It fell in 2019.", "assistant")])
            told.append(message("It fell in 2019.", "assistant", "messages", 3))
        out.append(message("It fell in 2019.", "assistant", "messages", 3))
    graph = build(log.events)
    stating = [node for node in graph.nodes if "The oak fell in 2019" in node.text]
    assert {node.origin for node in stating} == {"model"}
    assert not [leaf for leaf in graph.leaves() if "2019" in leaf.text]


def test_a_history_that_the_app_loads_is_not_its_answer():
    log = RunLog()
    history = [message("Hello", "user", "chat_history", 0), message("What is it?", "assistant", "chat_history", 1)]
    for said, expected in ((SAID, SAID), (None, "What is it?")):
        with log.run("chain", text(ASKED, "input"), name="app") as out:
            log.did("chain", [text(ASKED)], history, name="load")
            if said:
                log.did("model", [*history, message(ASKED)], [message(said, "assistant")])
            out.extend((*history, text(said or "Ask me something.", "answer")))
        assert build(log.events).answer.text == expected
        log = RunLog()


# -- Nothing goes missing

ALIKE = {
    "english": ("The ferry to the island of {} takes {} minutes.", "Mousa", "Fetlar"),
    "french": ("Le bateau pour la petite île de {} met {} minutes.", "Mousa", "Fetlar"),
    "russian": ("Паром до острова в море близ города {} идёт {} минут.", "Лервик", "Берген"),
    "chinese": ("前往{}的渡轮需要{}分钟。", "勒威克", "卑尔根"),
}


@pytest.mark.parametrize(("pattern", "place", "other"), ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("by", ["question", "model"])
@pytest.mark.parametrize("shape", ["prompt", "code"])
def test_a_phrase_that_others_use_too_does_not_split_what_a_prompt_says(pattern, place, other, by, shape):
    """A value of the app is a source, whole, although the question or a draft has some of its words."""
    source, said = pattern.format(place, 40), pattern.format(other, 53)
    asked, draft = (said, SAID) if by == "question" else (ASKED, said)
    log = RunLog()
    with log.run("chain", text(asked, "question"), name="app") as out:
        log.did("model", [text(asked)], [message(draft, "assistant")])
        shown = message(f"Notes: {source}")
        if shape == "prompt":
            log.did("prompt", [text(asked, "question"), text(source, "kb")], [shown], variables=("kb",))
        log.did("model", [shown], [message("As you see.", "assistant")])
        out.append(text("As you see."))
    leaves = build(log.events).leaves()
    assert [leaf for leaf in leaves if source in leaf.text and not leaf.model_spans]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("In hall 3.", True),
        ("三号厅", True),
        ("The elm by the mill was planted in 1850 by the miller.", True),  # most of its words are in the question
        ("The oak by the mill was planted in 1850 by the miller.", False),  # what it was asked, but for a number
        ("archive", False),  # a choice
        ("planted 1703", False),  # in the question
    ],
)
def test_a_value_that_code_looked_up_is_a_source_however_short_it_is(value, kept):
    asked = "Was the oak by the mill planted in 1703 by the miller, and in which hall is it?"
    log = RunLog()
    with log.run("chain", text(asked, "question"), name="app") as out:
        log.did("retriever", [text(asked)], [document(ELM)])
        log.did("chain", [text(asked, "question")], [text(value, "found")], name="look_up")
        log.did("model", [text(f"{ELM}\n{value}\n{asked}")], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert (value in {leaf.text for leaf in graph.leaves()}) is kept
    assert not kept or by_text(graph, value).origin == "given"


@pytest.mark.parametrize("role", ["assistant", "tool"])
@pytest.mark.parametrize("named", [True, False], ids=["by id", "without ids"])
def test_a_message_of_before_that_quotes_a_source_of_now_is_no_wording_of_the_prompt(role, named):
    told = f"{OAK} The elm fell in the storm of 1911, and the ash in that of 1926."
    ids = {"id": "before"} if named else {}
    log = RunLog()
    with log.run("chain", message(ASKED, "user", "messages", 0), name="app") as out:
        log.did("retriever", [text(ASKED)], [document(OAK)])
        before = message(told, role, "messages", 0, call_id="c0" if role == "tool" else None, **ids)
        for said in ("The first draft of an answer.", SAID):
            shown = [before, message(f"Use this: {OAK}"), message(ASKED, "user", "messages", 1)]
            log.did("model", shown, [message(said, "assistant")])
        out.append(message(SAID, "assistant", "messages", 2))
    graph = build(log.events)
    node = by_text(graph, "1926")  # one, although it was read twice
    assert (node.kind, node.origin) == {"assistant": ("completion", "model"), "tool": ("tool_result", "tool")}[role]
    assert node.text == told
    assert OAK in [source.text for source in graph.inputs(node.id)]


@pytest.mark.parametrize("shape", ["two retrievers", "one retriever", "nothing else in the prompt", "passed on"])
def test_equal_documents_are_told_as_ambiguous(shape):
    first, second = document(OAK, 0, id="a"), document(OAK, 1, id="b")
    log = RunLog()
    with log.run("chain", text(ASKED, "question"), name="app") as out:
        if shape == "one retriever":
            log.did("retriever", [text(ASKED)], [first, second])
        else:
            for found in (first, second):
                with log.run("chain", text(ASKED), name="step") as passed:
                    log.did("retriever", [text(ASKED)], [found])
                    passed.extend([found] if shape == "passed on" else [])
        shown = OAK if shape == "nothing else in the prompt" else f"Use this: {OAK}\n{ASKED}"
        log.did("model", [text(shown)], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    (found,) = [edge for edge in graph.edges if edge.target == "answer" and graph.node(edge.source).text == OAK]
    assert found.ambiguous == 1


def test_a_call_that_is_read_again_was_written_when_the_model_wrote_it():
    """Else what its tool found would count as a memory of the model's."""
    call = 'note({"text": "The oak fell in 2019."})'
    log = RunLog()
    with log.run("chain", message(ASKED)) as out:
        log.did("tool", [text("oak")], [message("The oak fell in 2019.", "tool")], name="look_up")
        said = [message("So it is. I note that.", "assistant"), Piece(text=call, form="tool_call", call_id="c1")]
        log.did("model", [message(ASKED)], said)
        again = Piece(text=call, path=("messages", 1, "tool_calls", 0), form="tool_call", call_id="c1")
        with log.run("chain", message(ASKED, "user", "messages", 0), again, name="tools", channels=True):
            pass
        out.append(message("The oak fell in 2019.", "assistant"))
    found = next(node for node in build(log.events).nodes if node.kind == "tool_result")
    assert (found.origin, found.model_spans) == ("tool", ())


@pytest.mark.parametrize(("said", "recalled"), [("Yes.", False), (f"Yes. {SAID}", True)])
def test_a_word_that_was_an_answer_before_recalls_nothing(said, recalled):
    first, second = RunLog(), RunLog()
    with first.run("chain", message(ASKED), name="app") as out:
        first.did("retriever", [text(ASKED)], [document(OAK)])
        first.did("model", [message(f"{OAK} {ASKED}")], [message(said, "assistant")])
        out.append(message(said, "assistant"))
    with second.run("chain", message("Is the elm old?"), name="app") as out:
        second.did("tool", [text("elm")], [message(said, "tool")], name="ask")
        second.did("model", [message(said)], [message("So it seems.", "assistant")])
        out.append(message("So it seems.", "assistant"))
    graph = build(second.events, Earlier.before(build(first.events), 8))
    assert (OAK in {leaf.text for leaf in graph.leaves()}) is recalled


@pytest.mark.parametrize("shown", ["As said, {} in summer.", "{} in summer.", "Remember that {}"])
def test_what_is_left_of_a_sentence_that_quotes_a_model_is_no_source(shown):
    """Half of a sentence of which a model wrote the other half states what the model wrote."""
    draft = "I think the crossing to Lerwick by ferry takes 53 minutes and two cups of tea on board."
    quoted = "the crossing to Lerwick by ferry takes 53 minutes and two cups of tea"
    log = RunLog()
    with log.run("chain", text(ASKED, "question"), name="app") as out:
        log.did("model", [text(ASKED)], [message(draft, "assistant")])
        prompt = f"Use what is known.\n{shown.format(quoted)}"
        log.did("model", [text(prompt)], [message(SAID, "assistant")])
        out.append(text(SAID))
    said = " ".join(leaf.text for leaf in build(log.events).leaves())
    assert "Use what is known" in said
    assert not [part for part in ("summer", "Remember", "Lerwick", "minutes") if part in said]


def test_internal_runs_leave_no_trace():
    log = RunLog()
    with log.run("chain", text(ASKED)) as out:
        with log.run("chain", text("secret rubric of the judge"), internal=True):
            log.did("model", [message("secret rubric of the judge")], [message("verdict of the judge", "assistant")])
        log.did("model", [message(ASKED)], [message(SAID, "assistant")])
        out.append(text(SAID))
    graph = build(log.events)
    assert not any("judge" in node.text for node in graph.nodes)
