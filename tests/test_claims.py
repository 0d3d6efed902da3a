from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.claims import abstains, split

MARKDOWN = """Thanks for asking! Here are the facts:

## The tower
- **Height**: 330 m [1].
- It was built by [a company](https://example.org/x).
1. The first item holds. It has two sentences.

| Segment | Revenue |
|---|---|
| Optics | 48.2 |

```python
height = 330
```
Would you like more? Let me know if you need help.
"""


def texts(answer, question=None):
    return [claim.text for claim in split(answer, question)]


def unchecked(answer):
    return [claim.quote for claim in split(answer) if not claim.checkable]


def test_markdown_keeps_statements_and_leaves_its_own_marks_out():
    claims = split(MARKDOWN)
    assert [claim.text for claim in claims if claim.checkable] == [
        "The tower: Height: 330 m.",
        "It was built by a company.",
        "The first item holds.",
        "The first item has two sentences.",
        "Segment: Optics; Revenue: 48.2",
    ]
    assert unchecked(MARKDOWN) == ["Thanks for asking!", "Would you like more?", "Let me know if you need help."]


@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(["a, and the b was c. ", "| x | y |\n", "- item\n", "是\uff1b好。", "; ", "```\n", "Why? "]),
        max_size=20,
    ).map("".join)
)
def test_quotes_are_verbatim_ordered_and_ids_count_up(answer):
    claims = split(answer)
    assert [claim.id for claim in claims] == [f"c{n}" for n in range(1, len(claims) + 1)]
    at = 0
    for claim in claims:
        assert answer[claim.start : claim.end] == claim.quote
        assert claim.quote.strip() == claim.quote != ""
        assert claim.start >= at
        at = claim.end


@pytest.mark.parametrize("blank", ["", "  \n\t ", "---", "***", "```\nx = 1\n```", "# Heading", "Three levels:"])
def test_what_holds_no_statement_gives_no_claim(blank):
    assert split(blank) == ()


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("The plan was approved; the mayor was happy.", ["The plan was approved", "the mayor was happy."]),
        ("The tower is tall, and the city is large.", ["The tower is tall", "the city is large."]),
        ("他说了\uff1b好。", ["他说了", "好。"]),
        # not safe: a list, a shared condition, a report, a subject that must be guessed, a quotation
        ("Paris; Rome; Madrid.", ["Paris; Rome; Madrid."]),
        (
            "If it rains, the match is off, and the crowd is sad.",
            ["If it rains, the match is off, and the crowd is sad."],
        ),
        ("He said that it was late, and the bus was gone.", ["He said that it was late, and the bus was gone."]),
        ("The towers fell, and it was costly.", ["The towers fell, and it was costly."]),
        (
            'She wrote "it was cold, and the sea was grey" there.',
            ['She wrote "it was cold, and the sea was grey" there.'],
        ),
    ],
)
def test_clauses_are_cut_only_where_it_is_safe(answer, parts):
    assert texts(answer) == parts


@pytest.mark.parametrize(
    "answer",
    [
        "Hello there!", "Thanks for asking!", "Great question!", "Sure!", "Would you like more?", "这是真的吗\uff1f", "هل هذا صحيح؟",
        "Let me know if you need more.", "I can also draft a letter.", "I think it is lovely.", "In my opinion it is too loud.",
        "Please contact support.", "See the manual for details.", "It does.", "Here is a summary.", "I do not know.",
    ],
)  # fmt: skip
def test_what_states_nothing_is_not_checkable(answer):
    assert unchecked(answer) == [answer]


@pytest.mark.parametrize(
    "answer",
    [
        "Take two tablets a day.", "Store it in the refrigerator.", "The company does not provide refunds.",
        "Das ist ein Turm.", "塔高330米。", "Hope is a town in Wales.",
        "I think it has 12 rooms.",
    ],
)  # fmt: skip
def test_what_states_something_is_checkable(answer):
    assert unchecked(answer) == []


def test_short_answers_take_their_question():
    assert texts("42", "How many rooms are there?") == ["How many rooms are there? 42"]
    assert texts("Yes.", "Is it open?") == ["Is it open? Yes."]
    assert split("Yes.", "Is it open?")[0].checkable
    assert texts("巴黎", "法国的首都是哪里\uff1f") == ["法国的首都是哪里\uff1f 巴黎"]
    assert texts("There are 42 rooms.", "How many rooms are there?") == ["There are 42 rooms."]
    assert texts("42") == ["42"]


def test_thousands_of_sentences_and_hostile_runs_stay_linear():
    answer = "The tower of number seven is tall, and the city was built by a company. " * 2_000
    started = perf_counter()
    assert len(split(answer)) == 4_000
    for run in ("a, and the b ", "no information ", "based on ", "[", "*", "x; ", "the provided ", "| a "):
        split(run * 5_000)
        abstains(run * 5_000)
    assert perf_counter() - started < 60  # seconds; what is quadratic in sentences takes longer


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.", "I\u2019m sorry, but I cannot find that in the documents. Let me know if you have more.",
        "The context does not contain information about the price.", "Based on the provided context, I cannot determine the height.",
        "There is no information about the mayor in the sources.", "The height is not mentioned in the context.",
        "None of the documents mention it.", "No information is available on that.", "Not stated.",
        "I do not have enough information to answer. Could you share the file?", "Ich weiß es nicht.",
    ],
)  # fmt: skip
def test_declining_answers_abstain(answer):
    assert abstains(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "", "Hello!", "The company does not provide refunds.", "The plan was not approved.", "The data do not show a link.",
        "I don't know the exact date, but I can say more. The tower is 330 m tall.", "There is no evidence of life on Mars.",
        "I have not been to Paris.", "The information was not given to the police.",
        "Ich weiß es nicht, aber die Mühle ist alt.", "Der Hafen ist nicht bekannt für seine Strände.",
    ],
)  # fmt: skip
def test_answers_that_state_something_do_not_abstain(answer):
    assert not abstains(answer)


def test_an_instruction_is_not_joined_with_its_question():
    assert texts("Write to us. Delivery takes two days.", "What's the mail?") == [
        "Write to us.",
        "Delivery takes two days.",
    ]
    assert texts("In 1990. Delivery takes two days.", "When?")[0] == "When? In 1990."
