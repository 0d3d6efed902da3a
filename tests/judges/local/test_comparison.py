from trail_callbacks import LocalJudge, check
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.taxonomy import ErrorType, SupportClass


def compare(text, *sources, **options):
    claim = Claim(id="c1", text=text, quote=text, start=0, end=len(text))
    nodes = [Node(id=f"d{i}", kind="document", text=source) for i, source in enumerate(sources)]
    question = Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])
    (comparison,) = LocalJudge(**options).compare([question])
    return comparison


def texts(comparison, indices):
    return [passage.text for passage in comparison.passages(indices)]


def test_the_closest_passages_are_about_the_claim_whatever_their_numbers():
    found = compare("The bridge opened in 1932.", "In 1932 snow fell. The bridge opened in 1934. Sheep sleep.")
    assert texts(found, found.closest) == ["The bridge opened in 1934."]


def test_a_passage_that_departs_does_not_state_the_claim():
    found = compare("The bridge opened in 1932.", "The bridge opened in 1934.")
    assert found.stating is None
    assert found.departure.finding.error_type is ErrorType.NUMBER
    assert texts(found, found.departure.passages) == ["The bridge opened in 1934."]


def test_nothing_departs_from_a_claim_that_is_stated():
    found = compare("The bridge opened in 1932.", "The bridge was repainted in 1962. The bridge opened in 1932.")
    assert texts(found, found.stating) == ["The bridge opened in 1932."]
    assert found.departure is None


def test_a_value_that_another_passage_has_is_not_disputed():
    found = compare(
        "The lamp is sold for 49 euros.", "The old lamp was sold for 60 euros. A lamp sells at 49 euros a piece."
    )
    assert found.departure is None


def test_other_nodes_that_say_otherwise_are_conflicts_unless_they_name_another():
    stated = "The Halden Bridge opened in 1932."
    found = compare(stated, stated, "The Halden Bridge opened in 1934.", "The Kelder Bridge opened in 1936.")
    assert [item.quote for item in found.conflicts(found.stating)] == ["The Halden Bridge opened in 1934."]


def test_checks_are_those_of_the_settings():
    found = compare("The bridge opened in 1932.", "The bridge opened in 1934.", without=("number",))
    assert found.departure is None
    assert "number" not in found.settings.checks


def test_english_rules_are_not_made_for_other_languages():
    found = compare("Der Turm wurde nicht im Jahr 1889 eröffnet.", "Der Turm wurde im Jahr 1899 eröffnet.")
    assert found.departure.finding.error_type is ErrorType.NUMBER


def test_nothing_to_compare_with():
    assert compare("The bridge opened in 1932.") is None
    assert compare("The bridge opened in 1932.", "Did the bridge open in 1932?") is None


def test_a_field_is_stated_by_one_passage_or_by_none():
    sources = ["Oslo is the capital of Norway.", "The ferry to Bergen takes an hour."]
    (verdict,) = check('{"capital": "Bergen", "note": ""}', sources).verdicts
    assert verdict.support is not SupportClass.SUPPORTED
    (verdict,) = check('{"capital": "Oslo", "note": ""}', sources).verdicts
    assert verdict.support is SupportClass.SUPPORTED
