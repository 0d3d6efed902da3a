import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.evidence.spans import clip, spans


def read(text):
    """Address and wording of each passage."""
    return [(span.place.address if span.place else "", text[span.start : span.end]) for span in spans(text)]


def leads(text):
    return {span.place.address: span.place.lead(text) for span in spans(text) if span.place}


ORDER = (
    '{"query": "orders of H. Voss", "rows": [{"order": "LU-20417", "carrier": "Fenn Post", "items": '
    '[{"sku": "DL-2", "price": 49.9}, {"sku": "FL-7", "price": 129.5}], "paid": true}], "as_of": "2026-03-09"}'
)


def test_a_field_is_read_with_what_names_the_records_around_it():
    lead = leads(ORDER)
    assert '"order": "LU-20417"' in lead["$.rows[0].items[1]"]
    assert '"carrier": "Fenn Post"' in lead["$.rows[0].paid"]
    assert '"order"' not in lead["$.rows[0].order"]  # not itself


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "lamp", "price": 42}', [("$", '{"name": "lamp", "price": 42}')]),
        ("[{'a': None, 'b': True}, {'a': 3.5}]", [("$[0]", "{'a': None, 'b': True}"), ("$[1]", "{'a': 3.5}")]),
        ('{"a": 1}\n{"a": 2}\n', [("line 1: $", '{"a": 1}'), ("line 2: $", '{"a": 2}')]),
        ('The tool said {"a": "x"} at noon.', [("", "The tool said"), ("$", '{"a": "x"}'), ("", "at noon.")]),
        ('```json\n{"a": "b"}\n```', [("$", '{"a": "b"}')]),
        ('{"odd key": [{"a": 1}], "b": 2}', [("$['odd key'][0]", '{"a": 1}'), ("$.b", '"b": 2')]),
        ('{"a": [{"b": "one"}, {"b": "cut of', [("$.a[0]", '{"b": "one"}'), ("$.a[1].b", '"b": "cut of')]),
        ('{"a": [{"b": 1}', [("$.a[0]", '{"b": 1}')]),
        ('{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}', [("$.a[0]", '{\n      "b": 1\n    }')]),
    ],
)
def test_json_in_all_its_dresses(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The tower [1] is tall [2, 3].",
        'He wrote "I goes [sic]" there.',
        "Take {x} and [y] now.",
        "{'} and {\"} are signs.",
    ],
)
def test_brackets_in_prose_are_no_json(text):
    assert read(text) == [("", text)]


def test_broken_json_falls_back_to_lines():
    text = '{"a": 1 "b": 2,\n"c": oops,\n"d": 4}'
    assert read(text) == [("", '{"a": 1 "b": 2,'), ("", '"c": oops,'), ("", '"d": 4}')]


def test_a_long_string_in_json_falls_into_its_sentences():
    text = json.dumps({"section": "Returns", "text": "Lamps may be returned.\nPostage is paid. " * 8 + 'He said "no".'})
    found = read(text)
    assert found[0] == ("$.section", '"section": "Returns"')
    assert {part for _, part in found[1:]} == {"Lamps may be returned.", "Postage is paid.", r"He said \"no\"."}
    assert {address for address, _ in found[1:]} == {"$.text"}


@pytest.mark.parametrize(
    ("text", "rows", "head"),
    [
        ("| Team | Points |\n| --- | --- |\n| Halm | 37 |\n| Torsby | 33 |", ["| Halm | 37 |", "| Torsby | 33 |"], "| Team | Points |"),
        ("Team | Points\n---|---\nHalm | 37\nTorsby | 33\n", ["Halm | 37", "Torsby | 33"], "Team | Points"),
        ("name,price\nlamp,42\nchair,17\n", ["lamp,42", "chair,17"], "name,price"),
        ('name;note\n"a;b";x\nc;d\n', ['"a;b";x', "c;d"], "name;note"),
        ("name\tprice\nlamp\t42\n", ["lamp\t42"], "name\tprice"),
    ],
)  # fmt: skip
def test_rows_of_tables_have_numbers_and_their_head(text, rows, head):
    found = read(text)
    assert found[0] == ("head", head)
    assert found[1:] == [(f"row {n}", row) for n, row in enumerate(rows, 1)]
    assert leads(text)["row 1"] == head


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[(1, 'Halm', Decimal('3.5')), (2, 'St. Ives (old)', None)]", {"$[0]": "(1, 'Halm', Decimal('3.5'))", "$[1]": "(2, 'St. Ives (old)', None)"}),
        ("1 | Halm | 37\n2 | Torsby | 33", {"row 1": "1 | Halm | 37", "row 2": "2 | Torsby | 33"}),
        ("1\tHalm\n2\tTorsby", {"row 1": "1\tHalm", "row 2": "2\tTorsby"}),
        (" id | team\n----+------\n  1 | Halm\n  2 | Moss", {"head": "id | team", "row 1": "1 | Halm", "row 2": "2 | Moss"}),
        ("+----+------+\n| id | team |\n+----+------+\n|  1 | Halm |\n+----+------+", {"head": "| id | team |", "row 1": "|  1 | Halm |"}),
        ("Halm | Oslo\nMoss | Bergen", {"row 1": "Halm | Oslo", "row 2": "Moss | Bergen"}),
    ],
)  # fmt: skip
def test_the_first_row_of_a_result_is_the_head_only_if_it_names_columns(text, rows):
    assert dict(read(text)) == rows


@pytest.mark.parametrize(
    "rows",
    [
        ["Boiler in the basement of the north wing   Not inspected yet", "roof of the north wing   inspected"],
        ["The boiler in the north wing: Not inspected yet", "roof of the north wing: inspected in 2023"],
        ["<tr><td>Boiler</td><td>Not inspected yet</td></tr>", "<tr><td>roof</td><td>inspected</td></tr>"],
    ],
)
def test_a_row_does_not_run_into_the_next(rows):
    assert [passage for _, passage in read("\n".join(rows))] == rows
    assert rows[0][0] != "<" or [passage for _, passage in read("".join(rows))] == rows


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=12), inner, max_size=6),
    max_leaves=40,
)


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_passages_of_json_lie_apart_and_in_order(value, indent, ascii_, python):
    text = repr(value) if python else json.dumps(value, indent=indent, ensure_ascii=ascii_)
    at = 0
    for span in spans("See " + text + " there."):
        assert at <= span.start < span.end
        at = span.end


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.lists(st.integers(0, 9) | st.text("xyz ", min_size=1, max_size=90), min_size=1, max_size=9),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=100, deadline=None)
def test_an_address_leads_to_what_stands_there(value):
    text = json.dumps(value)
    for span in spans(text):
        here: object = value
        path = span.place.address.removeprefix("$")
        for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            here = here[key] if key else here[int(index)]
        written = text[span.start : span.end]
        if path.count(".") and "[" not in path:
            assert json.loads("{" + written + "}") == {path.removeprefix("."): here}
        else:
            assert json.loads(written) == here


@given(st.text(alphabet="{}[]\":,'|\n\\ab1 .-;\t", max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_it(text):
    at = 0
    for span in spans(text):
        assert at <= span.start < span.end <= len(text)
        assert len(text[span.start : span.end]) <= 600
        if span.place:
            assert span.place.address
            span.place.lead(text)
        at = span.end


@pytest.mark.parametrize(
    "text",
    [
        '[{"a":' * 40_000,
        "[" * 250_000,
        '{"' * 125_000,
        '{"a": "' + "x" * 250_000,
        '{"a":"' + "\\" * 250_000,
        "| a | b |\n" * 25_000,
        "|" * 250_000,
        '{"a":1}\n' * 25_000,
        ("[" + " " * 1000) * 250,
    ],
)
def test_a_hostile_text_is_read_in_linear_time(limited, text):
    with limited(15):
        sum(1 for _ in spans(text))


def test_clip_ends_at_a_gap():
    text = "one two three four"
    assert (clip(text, size=9), clip(text, size=9, tail=True)) == ("one two", "four")
    assert clip(text) == text
    assert (clip("abcdef", size=3), clip("abcdef", size=3, tail=True)) == ("abc", "def")
