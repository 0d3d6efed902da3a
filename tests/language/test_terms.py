import pytest

from trail_callbacks.language.terms import looks_english, stem, terms


def test_stems_join_forms_and_keep_words_apart():
    for forms in (
        ["complete", "completed", "completes", "completing"],
        ["company", "companies"],
        ["rise", "rose", "risen"],
        ["stop", "stopped"],
    ):
        assert len({stem(form) for form in forms}) == 1
    assert stem("news") != stem("new") or stem("bus") != stem("bu")
    assert stem("是") == "是"


def test_names_are_capitalised_words_inside_a_sentence():
    assert [t.form for t in terms("The tower of Gustave Eiffel's firm.") if t.kind == "name"] == ["gustave", "eiffel"]
    assert [t.form for t in terms("The Halden Bridge was designed by Jo Reed.") if t.kind == "name"] == [
        "halden",
        "bridge",
        "jo",
        "reed",
    ]
    assert [t.form for t in terms("Halden Bridge Opens After Long Delays") if t.kind == "name"] == []
    assert [t.form for t in terms("THE ANNUAL REPORT OF THE GROUP") if t.kind == "name"] == []
    assert [t.form for t in terms("Towers are tall.") if t.kind == "name"] == []


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The tower is tall.", True),
        ("Revenue rose", True),
        ("Die Kaution beträgt zwei Mieten und ist fällig.", False),
        ("塔很高", False),
        ("البرج", False),
        ("", True),
    ],
)
def test_english_is_told_from_other_languages(text, english):
    assert looks_english(text) is english
