"""A statement is a claim in whatever shape it is written: no layout and no phrase around it makes it vanish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import check
from trail_callbacks.claims import abstains, split
from trail_callbacks.splitting.statements import is_lead_in, is_title

FACTS = [
    "The ferry costs 5 euros", "The ferry sank in the harbour", "Die F\u00e4hre nach Skogholm sank gestern Abend",
    "\u6e21\u8f6e\u7968\u4ef7\u4e3a\u4e94\u6b27\u5143", "The ferry c\u200bosts five eu\u2060ros",
]  # fmt: skip
LAYOUTS = [
    "**{}**", "__{}__", "*{}*", "# {}", "###### {}.", "## **{}**", "{}\n=====", "> {}", "> ## {}", "- {}", "1. {}", "- [x] {}", "~~{}~~",
    "```\n{}\n```", "~~~\n{}\n~~~", "```{}```", "`{}`", "```python\n{}\n```", "```python\nx = 1  # {}\n```",
    '```python\nprint("{}")\n```', "```js\n// {}\n```", "```js\n/* {} */\n```", "```html\n<p>{}</p>\n```", "```yaml\nnote: {}\n```",
    '```json\n{{"note": "{}"}}\n```', '```json\n"{}"\n```', '{{"note": "{}"}}', '{{"sources": "{}"}}', '{{"confidence": "{}"}}',
    "```ferry\n{}\n```", "```{}\nx = 1\n```", "$${}$$", "$$\n{}\n$$", "$$\\text{{{}}}$$", "$\\text{{{}}}$", "\\[\\text{{{}}}\\]", "${}$",
    "<!-- {} -->", "<!--\n{}\n-->", "<h1>{}</h1>", "<p>{}.</p>", "<answer>{}</answer>", "<sup>{}</sup>",
    '<img src="a.png" alt="{}">', '<abbr title="{}">x</abbr>', '<button aria-label="{}">x</button>',
    "<details><summary>{}</summary></details>", "<details>\n<summary>Info</summary>\n{}\n</details>",
    "| {} |", "| {} | x |\n|---|---|\n| a | b |", "| note | y |\n|---|---|\n| {} | b |",
    "[{}](https://a.example)", "![{}](a.png)", '![x](a.png "{}")', "See it.[^1]\n\n[^1]: {}", '[1]: https://a.example "{}"',
    "\u3010{}\u3011", "[source: {}]", "Sources:\n- {}", "Source: {}", "## References\n1. {}", "{}:", "Note: {}", "({})", "    {}",
    "---\ntitle: {}\n---",
]  # fmt: skip
PHRASES = [
    "It is not true that {}.", "Nobody believes that {}.", "The claim '{}' is a lie.", "As I said, {}.", "I would say that {}.",
    "There is no information that contradicts that {}.", "No information is available that contradicts that {}.",
    "The sources do not say anything that contradicts that {}.", "I cannot help noticing that {}.",
    "I do not know anyone who doubts that {}.", "I cannot say otherwise than that {}.", "I do not know: {}.", "I am not sure, but {}.",
    "Did you know that {}?", "Have you heard that {}?", "Is it not remarkable that {}?", "Who would have thought that {}?",
    "{}, right?", "Ask anyone: {}.", "Antwort: {}.", "R\u00e9ponse : {}.", "\u7b54\u6848\uff1a{}",
    "Great question: {}.", "I hope you know that {}.", "I think that {}.", "See the manual: {}.", "Let me know if you need more: {}.",
    "As an AI I know that {}.", "Here is a summary: {}.", "I am sorry that {}.", "I am happy to tell you that {}.",
    "Feel free to tell others that {}.", "Hello, {}.", "Thanks, {}.", "Sorry, {}.", "Danke, {}.", "I understand that {}.",
]  # fmt: skip


def letters(text):
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def claimed(answer, fact):
    return any(letters(fact) in letters(claim.quote) for claim in split(answer) if claim.checkable)


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("shape", [*LAYOUTS, *PHRASES])
def test_a_statement_is_a_claim_in_every_shape(shape, fact):
    answer = shape.format(fact)
    assert claimed(answer, fact)
    assert not abstains(answer)


@given(
    st.lists(st.sampled_from([one for one in LAYOUTS if "\n" not in one and "{{" not in one]), min_size=2, max_size=2),
    st.sampled_from(FACTS[:2]),
    st.sampled_from(["\n\n", "\n\nThe pier is long.\n\n"]),
)
def test_shapes_beside_each_other_hide_nothing(shapes, fact, between):
    answer = between.join(
        shape.format(each) for shape, each in zip(shapes, (fact, "The mill burnt down in May"), strict=True)
    )
    for claim in split(answer):
        assert answer[claim.start : claim.end] == claim.quote
    assert claimed(answer, fact)
    assert claimed(answer, "The mill burnt down in May")


NEGATED = [
    "It is not true that {}.", "The claim '{}' is a lie.", "I doubt that {}.", "Is it not true that {}?",
    "There is no information that says that {}.",
]  # fmt: skip


@pytest.mark.parametrize("frame", NEGATED)
def test_a_denied_statement_is_never_supported_by_what_it_denies(frame):
    fact = "the ferry to Skogholm costs 5 euros"
    report = check(frame.format(fact), [f"{fact[0].upper()}{fact[1:]}."])
    assert not any(str(verdict.support) == "supported" for verdict in report.verdicts)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Overview", True), ("Opening hours", True), ("Opening Hours and Prices", True), ("1. Overview", True), ("Step 2: The oven", True),
        ("\u00d6ffnungszeiten", True), ("\u6982\u8981", True), ("How to Get There", True),
        ("1986", False), ("Closed since May 2020", False), ("The ferry sank", False), ("The Ferry Was Sold", False),
        ("Die F\u00e4hre kostet f\u00fcnf Euro", False), ("\u6e21\u8f6e\u7968\u4ef7\u4e3a\u4e94\u6b27\u5143", False), ("\u0661\u0669\u0668\u0666", False),
    ],
)  # fmt: skip
def test_titles_name_and_do_not_state(text, title):
    assert is_title(text, "en" if text.isascii() else "de") is title


@pytest.mark.parametrize("answer", ["**1986**", "# 1986", "```\n1986\n```", "$$1986$$"])
def test_a_bare_answer_takes_its_question(answer):
    (claim,) = split(answer, "Since when, or where?")
    assert claim.checkable
    assert claim.text.startswith("Since when, or where? ")
    assert answer[claim.start : claim.end] == claim.quote


def test_lead_ins_only_introduce_unless_they_state_something():
    assert is_lead_in("The hotel has", "en")
    assert is_lead_in("Here are 3 reasons", "en")
    assert is_lead_in("The foods that contain gluten are", "en")
    assert not is_lead_in("The ferry sank in the harbour", "en")
    assert not is_lead_in("Die F\u00e4hre kostet 5 Euro", "de")
