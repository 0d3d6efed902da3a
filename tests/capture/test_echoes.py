"""What counts as a model's own words when they come back."""

import pytest

from trail_callbacks.capture.echoes import Echoes, arguments, transcript_spans

FERRY = "The ferry takes 53 minutes. Tickets cost 12 euros."


def echoed(text, *written, time=9, recorded=False, sources=()):
    echoes = Echoes([text])
    for source, at in sources:
        echoes.held(source, at)
    for each in written:
        echoes.wrote(each, 5, recorded=True)
    return [text[start:end] for start, end in echoes.spans(text, time, recorded=recorded)]


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        (f"Notes recorded: {FERRY}", FERRY, ["Notes recorded: The ferry takes 53 minutes", "Tickets cost 12 euros"]),
        ("You noted that the ferry takes 53 minutes", FERRY, ["You noted that the ferry takes 53 minutes"]),
        ("Saved: Entry is free", "Entry is free", ["Saved: Entry is free"]),
        ("gespeichert: Der Eintritt ist frei.", "Der Eintritt ist frei.", ["gespeichert: Der Eintritt ist frei"]),
        ('{"status": "saved", "text": "Tickets cost 12 euros."}', FERRY, ["Tickets cost 12 euros"]),
        (
            "Results for 'Tickets cost 12 euros.': the pier's shop is open",
            FERRY,
            ["Results for 'Tickets cost 12 euros"],
        ),
        ("THE FERRY TAKES 53 MINUTES", FERRY, ["THE FERRY TAKES 53 MINUTES"]),
    ],
    ids=["tool", "reported", "short", "german", "json", "quoted", "case"],
)
def test_what_a_model_wrote_is_found_where_it_comes_back(text, written, expected):
    assert echoed(text, written) == expected


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("San Francisco Bay Area: 14 degrees", "San Francisco Bay Area"),
        ("The opening hours of the Titan museum are 10 to 16.", "opening hours of the Titan museum"),
        ("Results for 'ferry crossing time': 40 minutes", "ferry crossing time"),
        ("The ferry takes 35 minutes.", FERRY),
        ("Oslo: 14 degrees", "Oslo"),
        ("", FERRY),
    ],
    ids=["place", "phrase", "query", "other number", "name", "empty"],
)
def test_what_a_source_adds_to_a_models_words_stays_evidence(text, written):
    assert echoed(text, written) == []


def test_words_that_a_source_held_first_are_the_sources():
    assert echoed(FERRY, FERRY, sources=[(FERRY, 3)]) == []
    assert echoed(FERRY, FERRY, sources=[(FERRY, 7)]) == ["The ferry takes 53 minutes", "Tickets cost 12 euros"]


def test_what_is_written_later_is_no_echo():
    assert echoed(FERRY, FERRY, time=5) == []


def test_a_page_that_is_all_a_models_is_a_memory_and_one_with_a_line_of_it_is_not():
    page = f"{FERRY} It leaves from pier four at noon, and dogs travel free of charge."
    echoes = Echoes([FERRY, page])
    echoes.wrote(FERRY, 5, recorded=True)
    assert echoes.whole(FERRY, 9)
    assert not echoes.whole(page, 9)


def test_a_transcript_shows_what_a_model_said():
    text = "Human: How long?\nAI: It takes 53 minutes.\nAnd 12 euros.\nHuman: Thanks\nai : Bye"
    assert [text[start:end].strip() for start, end in transcript_spans(text)] == [
        "It takes 53 minutes.\nAnd 12 euros.",
        "Bye",
    ]
    assert transcript_spans("Model: T-800\nWeight: 90 kg") == ()


def test_the_texts_of_a_call_are_read_from_its_json_or_else_whole():
    call = 'note({"items": [{"text": "a \\"b\\""}, 3], "title": "T"})'
    assert sorted(arguments(call)) == ["T", 'a "b"']
    assert list(arguments("note(half of {json")) == ["half of {json"]
