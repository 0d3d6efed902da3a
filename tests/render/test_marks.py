"""Signs of classes, and text cut and made harmless for one line."""

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Evidence, Node, ProvenanceGraph, SupportClass
from trail_callbacks.render.excerpt import around
from trail_callbacks.render.marks import mark
from trail_callbacks.render.safe_text import plain, shorten


def test_every_class_has_a_sign_of_its_own_in_both_alphabets():
    marks = [mark(support) for support in [*SupportClass, None]]
    for signs in ([m.symbol for m in marks], [m.ascii for m in marks], [m.word for m in marks]):
        assert len(set(signs)) == len(marks)
    assert all(m.ascii.isascii() and len(m.ascii) == len(m.symbol) == 1 for m in marks)


def test_ascii_keeps_the_signs_of_prose_readable():
    shown = plain("\u201cIt\u2019s 3\u20134\u2026\u201d \u2022 caf\u00e9", ascii=True)
    assert shown == '"It\'s 3-4..." * caf\\xe9'


@given(st.text())
def test_plain_is_one_printable_line(text):
    shown = plain(text)
    assert "\n" not in shown
    assert all(character.isprintable() or character in "\u200c\u200d" for character in shown)
    assert plain(text, ascii=True).isascii()
    assert plain(shown) == shown


@given(st.text(alphabet="ab \n", max_size=300), st.integers(5, 80))
def test_shortened_text_fits_and_is_a_beginning(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit
    assert text.startswith(short.removesuffix("...").rstrip() if short != text else short)


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200), st.integers(1, 40))
def test_context_is_short_and_stands_beside_the_quote(text, a, b, room):
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    graph = ProvenanceGraph(nodes=(Node(id="d", kind="document", text=text),))
    item = Evidence(node_id="d", start=start, end=end, quote=text[start:end], relation="supports")
    before, after = around(item, graph, room)
    assert max(len(before), len(after)) <= room + 4
    flat = "".join(text.split())
    assert "".join(before.removeprefix("... ").split()) in flat
    assert "".join(after.removesuffix(" ...").split()) in flat
