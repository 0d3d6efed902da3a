"""Where the feedback on a draft goes in the input of the next one."""

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_trail.attempts import first_input, revised

MODEL = FakeListChatModel(responses=["unused"])
REVIEW = [AIMessage("Io is cold."), HumanMessage("It is not.")]
ASKED = HumanMessage("What is Io like?")


@pytest.mark.parametrize(
    ("runnable", "given", "expected"),
    [
        (MODEL, "What is Io like?", [ASKED, *REVIEW]),
        (MODEL, [ASKED], [ASKED, *REVIEW]),
        (MODEL, ChatPromptTemplate.from_template("What is Io like?").invoke({}), [ASKED, *REVIEW]),
        (MODEL, {"messages": [ASKED], "moon": "Io"}, {"messages": [ASKED, *REVIEW], "moon": "Io"}),
        (MODEL, {"moon": "Io", "feedback": ""}, {"moon": "Io", "feedback": "It is not."}),
        (MODEL, {"moon": "Io"}, {"moon": "Io"}),
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
