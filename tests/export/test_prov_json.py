"""PROV-JSON is read back by the `prov` package, and says there what the report says."""

import json
import re
from urllib.parse import unquote

import pytest
from any_report import reports
from hypothesis import given, settings

from trail_callbacks import Report
from trail_callbacks.export import to_prov_json
from trail_callbacks.export.prov_json import NAMESPACE

prov = pytest.importorskip("prov.model")

# PN_LOCAL of PROV-N, section 3.7.1, as far as ASCII goes.
_LOCAL = re.compile(r"(?:[A-Za-z0-9_/@~&+*?#$!]|%[0-9A-F]{2})(?:(?:[\w./@~&+*?#$!-]|%[0-9A-F]{2})*(?:[\w/@~&+*?#$!-]|%[0-9A-F]{2}))?", re.ASCII)  # fmt: skip


def read(text):
    return prov.ProvDocument.deserialize(content=text, format="json")


def texts(document, type_):
    return {str(record.identifier): record for record in document.get_records(type_)}


def value(record, name):
    (found,) = record.get_attribute(name)
    return found


@pytest.fixture(scope="module")
def document(report):
    return read(to_prov_json(report))


def test_texts_are_entities_and_runs_are_activities(document, report):
    entities = texts(document, prov.ProvEntity)
    for node in report.graph.nodes:
        record = entities[f"r:node/{node.id}"]
        assert value(record, "prov:value") == node.text
        assert value(record, "trail:stage") == node.stage
    assert json.loads(value(entities["r:node/d1"], "trail:attributes")) == {"source": "tower.md", "rank": 1}
    assert {str(t) for t in entities["r:report"].get_asserted_types()} == {"trail:Report", "prov:Collection"}
    assert set(texts(document, prov.ProvActivity)) == {
        "r:step/r1/shelf", "r:step/r2/summarise", "r:step/r3/combine", "r:verification",
    }  # fmt: skip


def test_edges_carry_basis_and_coverage_and_scope_claims_no_derivation(document):
    derived = {tuple(map(str, record.args[:2])): record for record in document.get_records(prov.ProvDerivation)}
    edge = derived["r:node/m1", "r:node/d1"]
    assert (value(edge, "trail:basis"), value(edge, "trail:coverage"), value(edge, "trail:ambiguous")) == (
        "matched",
        0.75,
        1,
    )
    assert ("r:node/answer", "r:node/d2") not in derived
    (weak,) = document.get_records(prov.ProvInfluence)
    assert tuple(map(str, weak.args[:2])) == ("r:node/answer", "r:node/d2")
    assert value(weak, "trail:basis") == "scope"


def test_claims_carry_their_verdict_and_rest_on_passages(document):
    entities = texts(document, prov.ProvEntity)
    claim = entities["r:claim/c1"]
    assert (value(claim, "trail:class"), value(claim, "trail:errorType"), value(claim, "trail:confidence")) == (
        "contradicted",
        "number",
        0.9,
    )
    assert str(value(claim, "trail:introducedAt")) == "r:node/m1"
    derived = {tuple(map(str, record.args[:2])): record for record in document.get_records(prov.ProvDerivation)}
    assert value(derived["r:claim/c1", "r:passage/d1/0-31"], "trail:relation") == "contradicts"
    assert value(derived["r:claim/c1", "r:node/answer"], "trail:end") == 31
    quoted = derived["r:passage/d1/0-31", "r:node/d1"]
    assert {str(t) for t in quoted.get_asserted_types()} == {"prov:Quotation"}
    assert {str(t) for t in derived["r:claim/c1", "r:node/answer"].get_asserted_types()} == {"prov:Quotation"}
    assert value(entities["r:passage/d1/0-31"], "prov:value") == "The tower was finished in 1874."


def test_two_reports_can_be_merged_and_one_report_is_always_the_same(report, document):
    other = read(to_prov_json(Report(state="error", graph=report.graph)))
    names = {record.identifier.uri for record in document.get_records(prov.ProvEntity)}
    assert not names & {record.identifier.uri for record in other.get_records(prov.ProvEntity)}
    assert to_prov_json(report) == to_prov_json(Report.from_json(report.to_json()))


@given(reports())
@settings(max_examples=50)
def test_any_report_round_trips(report):
    text = to_prov_json(report)
    text.encode()
    document = read(text)
    again = read(document.serialize(format="json"))
    assert again == document
    data = json.loads(text)
    assert data["prefix"]["trail"] == NAMESPACE
    records = {name: parts for name, parts in data.items() if name != "prefix"}
    assert len(list(document.get_records())) == sum(map(len, records.values()))
    named = [name for parts in records.values() for name in parts if not name.startswith("_:")]
    assert len(named) == len(set(named))
    for name in named:
        assert _LOCAL.fullmatch(name.removeprefix("r:")), name
    entities = texts(document, prov.ProvEntity)
    for node in report.graph.nodes:
        (found,) = (
            each for name, each in entities.items() if name.startswith("r:node/") and unquote(name[7:]) == node.id
        )
        assert value(found, "trail:id") == node.id
        assert value(found, "prov:value") == node.text
    ends = {
        end
        for parts in records.values()
        for record in parts.values()
        for key, end in record.items()
        if key in {"prov:entity", "prov:usedEntity", "prov:generatedEntity", "prov:influencer"}
    }
    assert ends <= set(records["entity"])
