from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass


def test_content_is_words_and_names_without_what_belongs_to_a_number():
    reading = Reading("The Halden Bridge has two million visitors.")
    assert [term.form for term in reading.content] == ["halden", "bridge", "visitors"]
    assert [[term.form for term in name] for name in reading.names] == [["halden", "bridge"]]
    assert [quantity.value for quantity in reading.quantities] == [2e6]


def test_it_has_the_forms_of_its_words():
    reading = Reading("The council gave its approval for the plan.")
    approved, planned, rejected = (Reading(text).content[0] for text in ("approved", "planned", "rejected"))
    assert reading.has(approved)
    assert reading.has(planned)
    assert not reading.has(rejected)
    assert [reading.terms[i].form for i in reading.same(approved)] == ["approval"]


def test_shared_is_the_share_outside_a_span():
    claim, passage = Reading("The council approved the plan."), Reading("The council met.")
    assert claim.shared(passage) == 1 / 3
    assert claim.shared(passage, (12, 20)) == 1 / 2
    assert Reading("").shared(passage) == 0.0


def test_before_stays_in_the_clause():
    reading = Reading("He slept, but she did not soon fall asleep.")
    last = len(reading.terms) - 1
    assert [term.form for term in reading.before(last, 3)] == ["not", "soon", "fall"]
    assert [term.form for term in reading.before(last, 20)] == ["she", "did", "not", "soon", "fall"]


def test_english_is_told_from_other_languages():
    assert Reading("The tower is tall.").english
    assert not Reading("Der Turm ist hoch und nicht alt.").english


def test_a_finding_quotes_both_texts():
    found = Finding.quoting(
        Reading("It has 3 decks."),
        (7, 8),
        Reading("It has 4 decks."),
        (7, 14),
        error_type=ErrorType.NUMBER,
        support=SupportClass.CONTRADICTED,
    )
    assert (found.claim_words, found.evidence_words) == ("3", "4 decks")
