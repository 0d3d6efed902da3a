"""What is code is listed, what a block says in words is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.splitting.code import code_spans, prose_in_code
from trail_callbacks.splitting.marks import lines_of


def code(text):
    return [text[start:end] for start, end in code_spans(text)]


def words(text):
    found = prose_in_code(text, list(lines_of(text)))
    return [text[start:end] for _, spans in sorted(found.items()) for start, end in spans]


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("The mill is old.", []),
        ("```python\nx = plant(1)\n```", ["```python", "x = plant(1)"]),
        ("~~~~\nx = plant(1)\n~~~~", ["x = plant(1)"]),
        ("> ```\n> x = plant(1)\n> ```", ["> x = plant(1)"]),
        ("```sql\nSELECT a FROM mills WHERE old\n```", ["```sql", "SELECT a FROM mills WHERE old"]),
        ("```\npip install mill tools\n```", ["pip install mill tools"]),
        ("$$x = 1$$", ["$$x = 1$$"]),
        ("\\[\n\\frac{a}{b} = 1\n\\]", ["\\frac{a}{b} = 1"]),
        ("```\nx = 1\nThe mill is old.", []),  # never closed: who knows where the code ends
    ],
)
def test_code_is_listed(text, listed):
    assert code(text) == listed


@pytest.mark.parametrize(
    "text",
    [
        "```\nThe mill is old\n```",
        '```python\n"""\nThe mill is old.\n"""\n```',
        "```js\n/* The mill is old */\n```",
        "```The mill is old```",
        "$$\\text{The mill is old}$$",
        "```c\n// \u8fd9\u5ea7\u78e8\u574a\u5f88\u65e7\n```",
    ],
)  # fmt: skip
def test_words_are_no_code_wherever_they_stand(text):
    assert not any("mill" in listed or "\u78e8" in listed for listed in code(text) if "```" not in listed)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = 1  # The mill is old", ["The mill is old"]),
        ("print('The mill is old')", ["The mill is old"]),
        ('mill = {"age": "The mill is 90"}', ["The mill is 90"]),
        ("x = 1; // costs 5 euros", ["costs 5 euros"]),
        ("open('mill.txt', 'utf-8')", []),
        ("x = 1  # y = plant(2)", []),
    ],
)
def test_comments_and_strings_of_code_are_words(line, said):
    assert words(f"```python\n{line}\n```") == said
    assert all(each not in "".join(code(f"```python\n{line}\n```")) for each in said)


PARTS = ["```", "```python\n", "\n", "x = f(1)", "# The mill is old", "'The mill is old'", "$$", "\\[", "\\]", "~~~", '{"a": 1}', " ", "a\r"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=20).map("".join) | st.text(max_size=100))
def test_spans_are_ordered_apart_and_of_no_blank_ends(text):
    at = 0
    for start, end in code_spans(text):
        assert at <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        at = end
    at = 0
    for _, spans in sorted(prose_in_code(text, list(lines_of(text))).items()):
        for start, end in spans:
            assert at <= start < end
            at = end
