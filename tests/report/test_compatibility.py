"""What is read of a report that a newer release wrote, or that lacks parts; and that nothing is made up for it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks import Report, check
from trail_callbacks.errors import ReportError
from trail_callbacks.render.page import to_page

REPORT = check(
    "The tower was finished in 1847. It is 31 metres high. The tower was finished in Dunmarrow.",
    ["The tower was finished in 1874. It is 31 metres high."],
)
STORED = REPORT.to_json()


def read(change=lambda stored: None, version=2):
    stored = json.loads(STORED)
    stored["version"] = version
    change(stored)
    return Report.from_json(json.dumps(stored), lenient=True)


def test_what_this_release_wrote_is_read_as_it_is():
    assert Report.from_json(STORED, lenient=True) == REPORT


def test_a_newer_report_without_anything_new_is_read_with_a_warning():
    report = read()
    assert report.warnings == ("written by a newer release (version 2, this one reads version 1)",)
    assert report.verdicts == REPORT.verdicts
    assert report.hallucination_score == REPORT.hallucination_score


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s.update(mood="grim"), "the field 'mood'"),
        (lambda s: s["verdicts"][0].update(error_type="vague"), "'vague', read as 'other'"),
        (lambda s: s["graph"]["nodes"][0].update(kind="image"), "the kind of a node, 'image', read as 'completion'"),
        (lambda s: s["graph"]["edges"][0].update(basis="guess"), "an edge"),
        (lambda s: s["verdicts"][0]["evidence"][0].update(relation="hints"), "the evidence of a verdict"),
        (lambda s: s["verdicts"][0].update(confidence="high"), "the confidence of a verdict"),
        (lambda s: s.update(usage=[]), "the usage of the report"),
        (lambda s: s["verdicts"][0].update(introduced_at="m99"), "where a claim was introduced"),
        (lambda s: s["verdicts"][0].update(carried_through=["m99"]), "a node that repeats a claim"),
    ],
)
def test_what_is_new_is_left_out_and_named(change, says):
    report = read(change)
    assert says in report.warnings[-1]
    assert report.state == "assessed"
    assert report.hallucination_score == REPORT.hallucination_score
    assert report.claims == REPORT.claims


@pytest.mark.parametrize(
    ("change", "claims"),
    [
        (lambda s: s["verdicts"][0].update(support="dubious"), 3),
        (lambda s: s["verdicts"].pop(0), 3),
        (lambda s: s["claims"][0].pop("text"), 2),
        (lambda s: s.update(claims=[1, None, *s["claims"][2:]]), 1),
    ],
)
def test_without_a_verdict_a_report_is_partial(change, claims):
    report = read(change)
    assert report.state == "partial"
    assert len(report.claims) == claims
    assert "the score in the file is" in report.warnings[-1]
    assert [verdict.claim_id for verdict in report.verdicts] == [claim.id for claim in report.claims]


def test_an_unknown_state_has_no_score():
    report = read(lambda s: s.update(state="blessed"))
    assert report.hallucination_score is None
    assert "'blessed', read as 'error'" in report.warnings[-1]


@pytest.mark.parametrize(
    "data", ['{"version": 2}', '{"version": 2, "claims": []}', '{"version": 0, "claims": [1]}', "[]"]
)
def test_where_there_is_nothing_it_is_no_report(data):
    with pytest.raises(ReportError):
        Report.from_json(data, lenient=True)


def _places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*path, number))


PLACES = [path for path in _places(json.loads(STORED)) if path and path != ("version",)]
JUNK = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([]) | st.just({}) | st.just([{}])


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK | st.just(...)), min_size=1, max_size=4))
def test_whatever_is_broken_it_is_shown_or_refused(changes):
    stored = {**json.loads(STORED), "version": 2}
    for path, value in changes:
        holder = stored
        try:
            for key in path[:-1]:
                holder = holder[key]
            if value is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
    try:
        report = Report.from_json(json.dumps(stored), lenient=True)
    except ReportError:
        return
    to_page(report)
    str(report)
    assert Report.from_json(report.to_json()) == report
