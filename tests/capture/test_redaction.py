"""Redaction of events: nothing that an event says gets past it, and links by id, name and text stay."""

import json
from uuid import uuid4

import pytest

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Hints, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.redaction import WITHHELD, Redactor, bare
from trail_callbacks.errors import AnswerRejectedError, InputError, MissingExtraError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.redaction import presets

emails, keys = presets("email"), presets("key")

ADA, EVE = "ada@example.org", "eve@example.org"


def hide(text):
    return text.replace(ADA, "[address]").replace(EVE, "[address]")


@pytest.fixture
def redactor():
    return Redactor(hide, on_error=pytest.fail)


def started(*inputs, run_id="r", parent=None, kind="chain", name="step", **hints):
    return RunStarted(seq=1, run_id=run_id, parent_id=parent, kind=kind, name=name, inputs=inputs, hints=Hints(**hints))


def everywhere():
    """A piece that has an address wherever one can be."""
    return Piece(
        text=f"To {ADA}",
        path=(ADA, 0, "text"),
        form="message",
        id=ADA,
        call_id=f"call {ADA}",
        attributes={
            ADA: 1,
            "source": f"mail/{ADA}",
            "deep": {ADA: [{"x": (f"<{ADA}>", 2.5, None, True)}]},
            "number": 4915112345678,
        },
    )


def test_every_field_of_every_event_is_redacted(redactor):
    piece = everywhere()
    hints = {"branch": ADA, "variables": (ADA,), "call_id": ADA, "source_keys": (ADA,), "sequence": 3, "channels": True}
    events = [
        started(piece, name=f"mail {ADA}", **hints),
        RunEnded(seq=2, run_id="r", outputs=(piece,), inputs=(piece,), more_inputs=(piece,)),
        RunFailed(seq=2, run_id="r", error=f"ValueError: no {ADA}", inputs=(piece,), outputs=(piece,)),
    ]
    redacted = tuple(map(redactor.event, events))
    assert ADA not in str(redacted)
    assert str(redacted).count("[address]") >= 3 * 6
    first = redacted[0]
    assert (first.seq, first.run_id, first.parent_id, first.kind) == (1, "r", None, "chain")
    assert (first.hints.sequence, first.hints.channels) == (3, True)
    assert first.inputs[0].attributes["deep"][next(iter(first.inputs[0].attributes["deep"]))][0]["x"][1:] == [
        2.5,
        None,
        True,
    ]
    assert redacted[2].error == "ValueError: no [address]"


def test_what_has_nothing_to_hide_is_as_it_was(redactor):
    piece = Piece(text="Ada", path=("messages", 0), id="m1", attributes={"score": 0.5, "tags": ["a"], "big": 10**12})
    event = started(piece, variables=("messages",))
    assert redactor.event(event) == event


def test_equal_ids_stay_equal_and_others_do_not(redactor):
    pieces = redactor.event(started(*(Piece(text="x", id=id_) for id_ in (ADA, EVE, ADA, "m1")))).inputs
    ids = [piece.id for piece in pieces]
    assert ids[0] == ids[2] != ids[1]
    assert ids[3] == "m1"
    assert all(id_.startswith("[address]#") for id_ in ids[:3])


@pytest.mark.parametrize("redact", [emails, presets("email"), presets()])
def test_ids_with_placeholders_can_be_told_apart(redact):
    pieces = (
        Redactor(redact, on_error=pytest.fail).event(started(*(Piece(text="x", id=id_) for id_ in (ADA, EVE)))).inputs
    )
    assert pieces[0].id != pieces[1].id
    assert not any(each in str((started(*pieces),)) for each in (ADA, EVE))


def test_two_keys_that_look_alike_both_stay(redactor):
    (piece,) = redactor.event(started(Piece(text="x", attributes={ADA: 1, EVE: 2}))).inputs
    assert sorted(piece.attributes.values()) == [1, 2]


def test_long_numbers_are_texts_too():
    redactor = Redactor(lambda text: text.replace("4915112345678", "[phone]"), on_error=pytest.fail)
    (piece,) = redactor.event(started(everywhere())).inputs
    assert piece.attributes["number"] == "[phone]"


@pytest.mark.parametrize("wrong", [None, 7, b"x", ["x"]])
def test_what_is_no_string_withholds_the_text(wrong):
    errors = []
    redactor = Redactor(lambda _: wrong, errors.append)
    event = redactor.event(started(Piece(text=f"To {ADA}"), name="step"))
    assert event.inputs[0].text == event.name == WITHHELD
    assert f"redact returned {type(wrong).__name__}, expected a string" in str(errors[0])


def test_what_raises_withholds_names_ids_errors_and_details():
    def broken(text):
        if ADA in text:
            raise ValueError(text)
        return text

    errors = []
    redactor = Redactor(broken, errors.append)
    events = redactor.event(started(everywhere(), name=ADA)), redactor.event(RunFailed(seq=2, run_id="r", error=ADA))
    assert ADA not in str(events)
    assert events[1].error == WITHHELD
    assert errors
    assert all(isinstance(error, ValueError) for error in errors)
    assert str(redactor.error(errors[0])) == WITHHELD


def test_several_functions_are_applied_in_turn():
    redactor = Redactor((emails, keys, str.upper), on_error=pytest.fail)
    assert redactor.text("a@b.co x").endswith("> X")


def test_links_by_id_name_and_branch_are_found_after_redaction():
    secret = "The quarry at Holm was opened by ada@example.org in 1874."
    events = [
        started(Piece(text="When was it opened?", path=("question",)), run_id="r"),
        started(Piece(text="When was it opened?"), run_id="t", parent="r", kind="tool", call_id=ADA),
        RunEnded(seq=3, run_id="t", outputs=(Piece(text=secret, form="message", role="tool", call_id=ADA, id=EVE),)),
        started(
            Piece(text=secret, form="message", role="tool", call_id=ADA, id=EVE, path=("messages", 0)),
            run_id="m", parent="r", kind="model",
        ),
        RunEnded(seq=5, run_id="m", outputs=(Piece(text=f"{ADA} opened it."),)),
        RunEnded(seq=6, run_id="r", outputs=(Piece(text=f"{ADA} opened it.", path=(ADA,)),)),
    ]  # fmt: skip
    numbered = [
        type(event)(**{f: getattr(event, f) for f in event.__slots__ if f != "event"} | {"seq": i})
        for i, event in enumerate(events, 1)
    ]
    for redact in (hide, presets("email")):
        redactor = Redactor(redact, on_error=pytest.fail)
        before, after = build(numbered), build([redactor.event(event) for event in numbered])
        assert [(edge.source, edge.target, edge.basis) for edge in after.edges] == [
            (edge.source, edge.target, edge.basis) for edge in before.edges
        ]
        assert [(node.kind, node.origin) for node in after.nodes] == [(node.kind, node.origin) for node in before.nodes]
        assert ADA in before.to_json()
        assert ADA not in after.to_json()
        assert EVE not in after.to_json()


def test_a_key_of_a_structured_answer_is_redacted(redactor):
    events = [
        started(Piece(text="Who?")),
        RunEnded(seq=2, run_id="r", outputs=(Piece(text="Ada", path=("answer", ADA)), Piece(text="Eve", path=("answer", "b")))),
    ]  # fmt: skip
    assert ADA in build(events).answer.text
    text = build([redactor.event(event) for event in events]).answer.text
    assert ADA not in text
    assert json.loads(text)["b"] == "Eve"


def test_notes_of_a_filter_are_redacted_and_keep_their_meaning(redactor):
    note = {
        "kept": False,
        "reasons": [
            {"kind": "instruction", "score": 0.9, "start": 3, "end": 9, "quote": f"Mail {ADA}", "why": f"says {ADA}", "against": [1]},
            {"kind": "instruction", "quote": "ada@exam", "why": "cut in the middle of what is hidden"},
        ],
    }  # fmt: skip
    (piece,) = redactor.event(
        started(Piece(text=f"Do: Mail {ADA}", form="document", attributes={"filter": note}))
    ).inputs
    kept = piece.attributes["filter"]
    assert kept["kept"] is False
    assert kept["reasons"][0] == {**note["reasons"][0], "quote": "Mail [address]", "why": "says [address]"}
    assert "quote" not in kept["reasons"][1]


def test_a_graph_of_other_things_is_redacted_as_events_are(redactor):
    graph = ProvenanceGraph.from_texts(f"Ask {ADA}.", [f"{ADA} knows.", "Nobody knows."], f"Is it {EVE}?")
    redacted = redactor.graph(graph)
    assert ADA not in redacted.to_json()
    assert EVE not in redacted.to_json()
    assert [(node.id, node.kind) for node in redacted.nodes] == [(node.id, node.kind) for node in graph.nodes]
    assert redacted.edges == graph.edges


class OddError(Exception):
    def __init__(self, code, text):
        self.code, self.text = code, text
        super().__init__(text)

    def __str__(self):
        return f"{self.code}: {self.text}"


@pytest.mark.parametrize("error", [ValueError(f"no {ADA}"), InputError(ADA), KeyError(ADA), OddError(4, ADA), MissingExtraError(ADA, ADA), AnswerRejectedError(ADA), OSError(2, ADA)])  # fmt: skip
def test_an_error_loses_its_texts_and_keeps_its_type_where_it_can(redactor, error):
    error.__cause__ = error.__context__ = RuntimeError(ADA)
    try:
        raise error
    except type(error) as raised:
        kept = redactor.error(raised)
    shown = repr((kept, str(kept), kept.args, vars(kept)))
    assert ADA not in shown
    assert "[address]" in str(kept)
    assert kept.__cause__ is kept.__context__ is kept.__traceback__ is None
    assert type(kept) in {type(error), RuntimeError}
    assert type(error).__name__ in f"{type(kept).__name__} {kept}"
    assert "test_redaction.py" in kept.__notes__[0]


def test_a_plain_error_keeps_its_type():
    assert type(bare(ValueError("x"), "y")) is ValueError
    assert type(bare(LookupError("x"), "y")) is LookupError


def test_ids_of_runs_stay():
    run_id = str(uuid4())
    redactor = Redactor(presets(), on_error=pytest.fail)
    assert redactor.event(started(run_id=run_id, parent=run_id)).run_id == run_id
