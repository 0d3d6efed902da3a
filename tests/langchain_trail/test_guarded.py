"""`guarded(runnable)`: a chain of which only supported answers come out."""

import asyncio
import re

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_trail import AnswerRejectedError, TrailCallbackHandler, guarded, traced
from langchain_trail.attempts import first_input, revised

from trail_callbacks.guard import BLOCKED

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
LEAKED = "Quixodoro"
REVIEW = "<<<REVIEW"


@pytest.fixture
def model(says):
    return lambda better=GOOD, worse=BAD: says((REVIEW, better), ("", worse))


@pytest.fixture
def chain(shelf, model):
    """Takes a dictionary with a question; its prompt has room for feedback."""

    def make(better=GOOD, worse=BAD, parser=True):
        context = (lambda given: given["question"]) | shelf(FACT) | (lambda found: found[0].page_content)
        prompt = ChatPromptTemplate.from_template("{context}\n{question}\n{feedback}")
        made = RunnablePassthrough.assign(context=context) | prompt | model(better, worse)
        return made | StrOutputParser() if parser else made

    return make


TO_CALL = {"question": ASKED}


def every_way(app, given, config=None):
    """The whole output of each method, streams summed up."""

    async def later():
        chunks = [chunk async for chunk in app.astream(given, config)]

        async def inputs():
            yield given

        transformed = [chunk async for chunk in app.atransform(inputs(), config)]
        return [
            await app.ainvoke(given, config),
            (await app.abatch([given], config))[0],
            sum_up(chunks),
            sum_up(transformed),
        ]

    return [
        app.invoke(given, config),
        app.batch([given, given], config)[1],
        sum_up(list(app.stream(given, config))),
        sum_up(list(app.transform(iter([given]), config))),
        *asyncio.run(later()),
    ]


def sum_up(chunks):
    total = chunks[0]
    for chunk in chunks[1:]:
        total = total + chunk
    return total


@pytest.mark.parametrize(
    ("policy", "better", "end"),
    [
        ({}, GOOD, GOOD),
        ({}, BAD, BLOCKED),
        ({"exhausted": "annotate"}, BAD, BAD),
        ({"on_fail": "block"}, GOOD, BLOCKED),
        ({"on_fail": "annotate"}, GOOD, BAD),
        ({"max_retries": 0, "message": "No."}, GOOD, "No."),
    ],
)
def test_every_policy_in_every_way_to_call(chain, policy, better, end):
    for out in every_way(guarded(chain(better), judge="local", **policy), TO_CALL):
        assert out == end
    for out in every_way(guarded(chain(better, parser=False), judge="local", **policy), TO_CALL):
        assert out.text == end
        assert out.response_metadata["trail"]["passed"] is (end == GOOD)
        assert out.response_metadata["trail"]["blocked"] is (end not in {GOOD, BAD})


@pytest.mark.parametrize("policy", [{"on_fail": "raise"}, {"exhausted": "raise"}])
async def test_to_raise(chain, policy):
    app = guarded(chain(BAD), judge="local", **policy)
    with pytest.raises(AnswerRejectedError) as caught:
        app.invoke(TO_CALL)
    assert caught.value.report.hallucination_score == 1.0
    assert LEAKED not in str(caught.value)
    with pytest.raises(AnswerRejectedError):
        await anext(app.astream(TO_CALL))  # not one chunk
    assert isinstance(app.batch([TO_CALL], return_exceptions=True)[0], AnswerRejectedError)


def test_an_accepted_stream_keeps_its_chunks(chain):
    assert len(list(guarded(chain(), judge="local").stream(TO_CALL))) > 4
    *chunks, last = guarded(chain(parser=False), judge="local").stream(TO_CALL)
    assert len({chunk.id for chunk in [*chunks, last]}) == 1
    assert last.text == ""
    assert last.response_metadata["trail"]["attempts"] == 2


def test_an_input_without_a_place_is_given_again(says):
    calls = []

    def sampled(question):
        calls.append(question)
        return [BAD, GOOD][len(calls) > 1]

    documents = RunnableLambda(lambda q: [Document(FACT)], name="load")
    app = {"found": documents, "q": RunnablePassthrough()} | RunnableLambda(
        lambda x: f"{x['q']} {x['found'][0].page_content}"
    )
    app = app | RunnableLambda(lambda prompt: says(sampled(prompt)).invoke(prompt).text)
    assert guarded(app, judge="local").invoke(ASKED) == GOOD
    assert calls[0] == calls[1]


def test_the_user_can_say_how_to_ask_again(chain):
    told = []

    def revise(given, output, feedback):
        told.append((given, output))
        return {**given, "feedback": f"Shorter! {feedback}"}

    assert guarded(chain(), judge="local", revise=revise).invoke({**TO_CALL, "feedback": ""}) == GOOD
    assert told == [({**TO_CALL, "feedback": ""}, BAD)]


def test_dictionaries_are_blocked_where_the_answer_stands(says, shelf):
    rag = RunnablePassthrough.assign(documents=(lambda given: given["question"]) | shelf(FACT)).assign(
        answer=(lambda given: f"{given['documents'][0].page_content} {given['question']}")
        | says(BAD)
        | StrOutputParser()
    )
    for out in every_way(guarded(rag, judge="local", on_fail="block"), TO_CALL):
        assert out["answer"] == BLOCKED
        assert out["documents"][0].page_content == FACT
        assert out["trail"]["blocked"]
        assert LEAKED not in repr(out)
    for out in every_way(guarded(rag, judge="local", on_fail="annotate"), TO_CALL):
        assert out["answer"] == BAD
        assert out["trail"]["hallucination_score"] == 1.0


def test_an_output_without_a_place_for_a_message_raises(says):
    app = says(BAD) | RunnableLambda(lambda message: [message.text])
    with pytest.raises(AnswerRejectedError, match="a list has no place"):
        guarded(app, judge="local", on_fail="block").invoke(ASKED)


FALSE_BESIDE = {"fleet": BAD, "yard": GOOD}


@pytest.mark.parametrize("parser", [True, False])
@pytest.mark.parametrize("said", [FALSE_BESIDE, dict(reversed(FALSE_BESIDE.items())), {"fleet": BAD, "yard": BAD}])
def test_texts_side_by_side_are_judged_together(says, shelf, said, parser):
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")

    def branch(text):
        return prompt | says(text) | StrOutputParser() if parser else prompt | says(text)

    chain = RunnablePassthrough.assign(context=lambda x: shelf(FACT).invoke(x["question"])) | RunnableParallel(
        {key: branch(text) for key, text in said.items()}
    )
    for out in every_way(guarded(chain, judge="local", on_fail="block"), TO_CALL):
        assert {key: getattr(out[key], "text", out[key]) for key in said} == dict.fromkeys(said, BLOCKED)
        assert out["trail"]["blocked"]
        assert LEAKED not in str(out)
    annotated = guarded(chain, judge="local", on_fail="annotate").invoke(TO_CALL)["trail"]
    assert BAD in [each["quote"] for each in annotated["unsupported"]]
    true = RunnablePassthrough.assign(context=lambda x: shelf(FACT).invoke(x["question"])) | RunnableParallel(
        fleet=branch(GOOD), yard=branch(GOOD)
    )
    assert guarded(true, judge="local", on_fail="block").invoke(TO_CALL)["trail"]["passed"]


def test_a_message_that_calls_tools_passes_unjudged(says):
    call = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}])
    reports = []
    app = guarded(says(call), judge="local", on_report=reports.append)
    assert app.invoke(ASKED).tool_calls
    assert sum_up(list(app.stream(ASKED))).tool_calls
    assert reports == []


class Ears(BaseCallbackHandler):
    def __init__(self):
        self.told = []

    def on_custom_event(self, name, data, **kwargs):
        self.told.append((name, data["blocked"]))


def test_who_watches_hears_of_the_report(chain):
    ears, reports = Ears(), []
    guarded(chain(BAD), judge="local", on_report=reports.append).invoke(TO_CALL, {"callbacks": [ears]})
    assert ears.told == [("trail.report", True)]
    assert [report.hallucination_score for report in reports] == [1.0] * 3


@pytest.mark.parametrize("better", [GOOD, BAD], ids=["good", "never good"])
async def test_events_show_no_rejected_draft(chain, better):
    app = guarded(chain(better), judge="local") | RunnableLambda(lambda text: text.upper())
    events = [event async for event in app.astream_events(TO_CALL, version="v2")]
    assert not re.search(LEAKED, repr(events), re.IGNORECASE)
    assert REVIEW not in repr(events)
    tokens = [e["data"]["chunk"].text for e in events if e["event"] == "on_chat_model_stream"]
    assert "".join(tokens) == (GOOD if better is GOOD else "")
    assert events[-1]["data"]["output"] == (GOOD if better is GOOD else BLOCKED).upper()


def test_it_is_one_run_of_the_app_and_its_drafts_are_inside(chain):
    handler = TrailCallbackHandler(evaluate="never")
    guarded(chain(), judge="local").invoke(TO_CALL, {"callbacks": [handler]})
    graph = handler.graph()
    assert graph.answer.text == GOOD
    assert graph.question.text == ASKED
    assert FACT in {leaf.text for leaf in graph.leaves()}
    assert traced(guarded(chain(), judge="local")).invoke(TO_CALL).report.hallucination_score == 0.0


def test_it_has_the_schemas_of_what_is_inside(chain):
    inner = chain()
    assert guarded(inner, judge="local").get_input_jsonschema() == inner.get_input_jsonschema()
    assert guarded(inner, judge="local").get_output_jsonschema() == inner.get_output_jsonschema()
    assert (guarded(inner, judge="local") | len).invoke(TO_CALL) == len(GOOD)


def test_to_strip_in_every_way_to_call(chain):
    worse = f"{GOOD} {BAD} The lighthouse of Genoa was rebuilt in 1543."
    end = f"{GOOD} The lighthouse of Genoa was rebuilt in 1543."
    assert every_way(guarded(chain(worse=worse), judge="local", on_fail="strip"), TO_CALL) == [end] * 8
    for out in every_way(guarded(chain(worse=worse, parser=False), judge="local", on_fail="strip"), TO_CALL):
        assert out.text == end
        summary = out.response_metadata["trail"]
        assert (summary["passed"], summary["blocked"], summary["attempts"]) == (False, False, 1)
        assert [each["text"] for each in summary["removed"]] == [BAD]
    assert every_way(guarded(chain(worse=BAD), judge="local", on_fail="strip"), TO_CALL) == [BLOCKED] * 8
    least = guarded(chain(worse=worse), judge="local", on_fail="strip", min_share=0.9, exhausted="annotate")
    assert every_way(least, TO_CALL) == [worse] * 8


OLD, RED, BLUE = (f"The lighthouse is {word}." for word in ("old", "red", "blue"))


@pytest.mark.parametrize("parser", [True, False])
def test_the_judge_sees_what_the_handler_of_the_app_is_allowed_to_keep(chain, parser):
    seen = []
    handler = TrailCallbackHandler(evaluate="never", redact=lambda text: text.replace("Genoa", "[city]"))
    app = guarded(chain(parser=parser), judge="local", on_report=seen.append)
    every_way(app, TO_CALL, {"callbacks": [handler]})
    assert seen
    assert {report.hallucination_score for report in seen} == {1.0, 0.0}
    assert not any("Genoa" in report.to_json() for report in seen)


UNUSED = FakeListChatModel(responses=["unused"])
REVIEWED = [AIMessage("Io is cold."), HumanMessage("It is not.")]
OF_IO = HumanMessage("What is Io like?")


@pytest.mark.parametrize(
    ("runnable", "given", "expected"),
    [
        (UNUSED, "What is Io like?", [OF_IO, *REVIEWED]),
        (UNUSED, [OF_IO], [OF_IO, *REVIEWED]),
        (UNUSED, ChatPromptTemplate.from_template("What is Io like?").invoke({}), [OF_IO, *REVIEWED]),
        (UNUSED, {"messages": [OF_IO], "moon": "Io"}, {"messages": [OF_IO, *REVIEWED], "moon": "Io"}),
        (UNUSED, {"moon": "Io", "feedback": ""}, {"moon": "Io", "feedback": "It is not."}),
        (UNUSED, {"moon": "Io"}, {"moon": "Io"}),
        (RunnableLambda(str), "What is Io like?", "What is Io like?"),
        (RunnableLambda(str), [], []),
    ],
)
def test_feedback_goes_where_the_input_has_a_place_for_it(runnable, given, expected):
    assert revised(runnable, given, "Io is cold.", "It is not.") == expected


def test_a_prompt_with_the_variable_gets_it_empty_at_first():
    prompt = ChatPromptTemplate.from_template("{question}\n{feedback}")
    assert first_input(prompt, {"question": "?"}) == {"question": "?", "feedback": ""}
    assert first_input(prompt, {"question": "?", "feedback": "Be brief."}) == {"question": "?", "feedback": "Be brief."}
    assert first_input(ChatPromptTemplate.from_template("{question}"), {"question": "?"}) == {"question": "?"}


def test_a_runnable_whose_schema_cannot_be_read_is_taken_to_have_no_such_variable():
    class Odd(RunnableLambda):
        def get_input_jsonschema(self, config=None, **kwargs):
            raise TypeError("no schema")

    assert first_input(Odd(str), {"question": "?"}) == {"question": "?"}
