"""What is left of an answer without its unsupported sentences, and when it is left alone."""

from dataclasses import replace

import pytest

from trail_callbacks import Claim, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.guard.stripping import stripped

SOURCE = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543. The ferry to Nervi takes 40 minutes."
BAD = "The lighthouse of Genoa is 97 metres tall."
BUILT = "The lighthouse of Genoa was rebuilt in 1543."
FERRY = "The ferry to Nervi takes 40 minutes."


def left(answer, on_undecided="pass", min_share=0.0, *, texts=None, judge="local"):
    """What is left, as the offline judge says."""
    found = stripped(
        check(answer, [SOURCE], judge=judge),
        texts or [answer],
        on_undecided,
        min_share,
        self_contained=False,
    )
    return found and found.text


def judged(answer, *claims, question=None):
    """A report with claims by hand: the quote, the self-contained text if it differs, and the class."""
    made, verdicts, at = [], [], 0
    for n, (quote, text, support) in enumerate(claims):
        start = answer.index(quote, at)
        at = start + len(quote)
        made.append(Claim(id=f"c{n}", text=text or quote, quote=quote, start=start, end=at))
        verdicts.append(Verdict(claim_id=f"c{n}", support=support))
    graph = ProvenanceGraph.from_texts(answer, ["A source."], question)
    return Report(state="assessed", graph=graph, claims=tuple(made), verdicts=tuple(verdicts))


YES, NO = SupportClass.SUPPORTED, SupportClass.CONTRADICTED


def told(answer, *claims, question=None, self_contained=True):
    """What is left, where a model wrote the claims."""
    found = stripped(judged(answer, *claims, question=question), [answer], "pass", 0.0, self_contained=self_contained)
    return found and found.text


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        (f"{FERRY} {BAD} {BUILT}", f"{FERRY} {BUILT}"),
        (f"{FERRY}  {BAD}\n\n{BUILT}\n", f"{FERRY}\n\n{BUILT}\n"),
        (f"  {BAD}\n\n\n{FERRY}  \n", f"  {FERRY}  \n"),
        (f"{FERRY}\n\n{BAD}\n\n{BUILT}", f"{FERRY}\n\n{BUILT}"),
        (f"{FERRY}\r\n{BAD}\r\n{BUILT}", f"{FERRY}\r\n{BUILT}"),
        (f"> {FERRY}\n>\n> {BAD}\n", f"> {FERRY}\n"),
        (f"- {FERRY}\n- {BAD}\n- {BUILT}\n", f"- {FERRY}\n- {BUILT}\n"),
        (f"1. {BAD}\n2. {FERRY}", f"2. {FERRY}"),
        (f"- {BAD} {FERRY}\n- {BUILT}", f"- {FERRY}\n- {BUILT}"),
        (f"Some facts:\n\n- {BAD}\n- {BAD}\n\n{FERRY}", FERRY),
        (f"Some facts:\n\n- {BAD}\n- {BUILT}\n\n{FERRY}", f"Some facts:\n\n- {BUILT}\n\n{FERRY}"),
        (f"- {BAD}\n  - {BUILT}\n- {FERRY}", f"- {FERRY}"),
        (f"## Height\n\n{BAD}\n\n## Ferry\n\n{FERRY}", f"## Ferry\n\n{FERRY}"),
        (f"# Nervi\n\n## Height\n\n{BAD}\n\n## Ferry\n\n{FERRY}", f"# Nervi\n\n## Ferry\n\n{FERRY}"),
        (f"# Nervi\n\n## Height\n\n{BAD}\n\n# Ferry\n\n{FERRY}", f"# Ferry\n\n{FERRY}"),
        (f"{BAD}\n===\n\n{FERRY}", FERRY),
        (f"**{BAD}** {FERRY}", FERRY),
        (f"{FERRY} [1] {BAD} [2]\n\n```python\nprint(1)\n```\n", f"{FERRY} [1]\n\n```python\nprint(1)\n```\n"),
        (f"{BAD} {FERRY} Thanks for asking!", f"{FERRY} Thanks for asking!"),
        (f"Ahoj \U0001f6a2! {FERRY} {BAD}", f"Ahoj \U0001f6a2! {FERRY}"),
    ],
)
def test_the_sentence_goes_with_its_layout_and_all_else_stays(answer, rest):
    assert left(answer) == rest


def test_a_table_loses_rows_and_with_the_last_one_its_head_and_lead_in():
    head = "| what | value |\n| --- | --- |\n"
    tall, long = "| height | 97 m |\n", "| ferry | 40 minutes |\n"
    answer = f"{FERRY}\n\nIn short:\n\n{head}{tall}{long}"
    rows = (
        ("| height | 97 m |", "what: height; value: 97 m", NO),
        ("| ferry | 40 minutes |", "what: ferry; value: 40 minutes", YES),
    )
    assert told(answer, (FERRY, "", YES), *rows) == f"{FERRY}\n\nIn short:\n\n{head}{long}"
    answer = f"{FERRY}\n\nIn short:\n\n{head}{tall}"
    assert told(answer, (FERRY, "", YES), rows[0]) == f"{FERRY}\n"


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        (f"{FERRY} {BAD} It was rebuilt in 1543.", FERRY),  # it meant the lighthouse
        (f"{BAD} {FERRY} They were built in May.", None),  # nobody knows what they are
        (f"{BAD} It was rebuilt in 1543.", None),  # nothing would be left
    ],
)
def test_what_depends_on_a_sentence_goes_with_it(answer, rest):
    assert left(answer) == rest


TOWER = "Der Leuchtturm von Genua ist 97 Meter hoch."
REBUILT = "Er wurde 1543 umgebaut."
SHIP = "Die F\u00e4hre nach Nervi braucht 40 Minuten."


def test_claims_say_in_any_language_what_a_sentence_depends_on():
    full = "Der Leuchtturm von Genua wurde 1543 umgebaut."
    assert told(f"{SHIP} {TOWER} {REBUILT}", (SHIP, "", YES), (TOWER, "", NO), (REBUILT, full, YES)) == SHIP
    assert told(f"{SHIP} {TOWER} {full}", (SHIP, "", YES), (TOWER, "", NO), (full, "", YES)) == f"{SHIP} {full}"
    tower = "Der Leuchtturm von Genua ist sehr alt."
    kept = told(f"{TOWER} {tower} {REBUILT}", (TOWER, "", NO), (tower, "", YES), (REBUILT, full, YES))
    assert kept == f"{tower} {REBUILT}"
    it, meant = "It sails daily.", "It [the ferry to Nervi] sails daily."  # as models tell it: nothing is left to guess
    assert told(f"{BAD} {FERRY} {it}", (BAD, "", NO), (FERRY, "", YES), (it, meant, YES)) == f"{FERRY} {it}"
    boat, he = (
        "\u6e21\u8f2a\u306f40\u5206\u304b\u304b\u308b\u3002",
        "\u305d\u308c\u306f1543\u5e74\u306b\u518d\u5efa\u3055\u308c\u305f\u3002",
    )
    tall = "\u30e9\u30f3\u30c6\u30eb\u30ca\u706f\u53f0\u306f97\u30e1\u30fc\u30c8\u30eb\u3060\u3002"
    resolved = "\u30e9\u30f3\u30c6\u30eb\u30ca\u706f\u53f0\u306f1543\u5e74\u306b\u518d\u5efa\u3055\u308c\u305f\u3002"
    assert told(boat + tall + he, (boat, "", YES), (tall, "", NO), (he, resolved, YES)) == boat


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"said": "{FERRY}", "more": "{BAD}"}}',
        f"**{BAD} {FERRY}**",
        f'"{FERRY} {BAD}"',
        f"({BAD} {FERRY})",
        f"{FERRY}\n\n```python\nx = 1  # {BAD}\n```",
        f"{BAD} {BAD}",
        f"Hello! {BAD}",
    ],
)
def test_what_cannot_be_taken_out_safely_is_left_alone(answer):
    assert left(answer) is None


@pytest.mark.parametrize(
    "false", ['The lamp is 27" wide.', "The room is 5 * 3 metres.", "The lamp, b) of the list, is old."]
)
def test_a_sign_without_a_partner_holds_up_nothing(false):
    assert told(f"{false} {FERRY}", (false, "", NO), (FERRY, "", YES)) == FERRY


def test_too_little_is_no_answer():
    answer = f"{FERRY} {BAD} {BAD}"
    share = len(FERRY) / (len(FERRY) + 2 * len(BAD))
    assert left(answer, min_share=share) == FERRY
    assert left(answer, min_share=share + 0.01) is None


def test_what_the_judge_read_is_what_the_app_returned():
    answer = f"{FERRY} {BAD}"
    assert left(answer, texts=["Something else.", f"\n{answer} \n"]) == f"\n{FERRY} \n"
    assert left(answer, texts=["Something else."]) is None


def test_undecided_claims_stay_or_go_and_what_nobody_judged_goes(by_colour):
    old, red, blue, black = (f"The lighthouse is {word}." for word in ("old", "red", "blue", "black"))
    answer = f"{old} {blue} {red} {black}"
    assert left(answer, judge=by_colour) == f"{old} {blue}"
    assert left(answer, "fail", judge=by_colour) == old
    assert left(f"{blue} {red}", judge=by_colour) is None  # nothing was decided


def test_no_word_that_an_unsupported_claim_quotes_stays():
    """Code is no sentence, but a claim may quote it."""
    said = "The tower is this high.\n```python\nheight = 97"
    assert told(f"{FERRY}\n\n{said}\n```\n", (FERRY, "", YES), (said, "The tower is 97 high.", NO)) is None
    lead = "The tower is this high:"
    code = "```python\nheight = 97\n```\n"
    assert told(f"{FERRY}\n\n{lead}\n\n{code}", (FERRY, "", YES), (lead, "The tower is 97 high.", NO)) is None
    both = f"{BUILT} The lighthouse of Genoa"
    assert told(f"{FERRY} {BUILT} {BAD}", (FERRY, "", YES), (both, "", YES), ("97 metres", BAD, NO)) == FERRY


def test_what_is_left_is_covered_by_claims():
    report = judged(f"{FERRY} {BAD} {BUILT}", (FERRY, "", YES), (BAD, "", NO))
    assert stripped(report, [f"{FERRY} {BAD} {BUILT}"], "pass", 0.0, self_contained=True) is None
    failed = replace(judged(f"{FERRY} {BAD}", (FERRY, "", YES), (BAD, "", NO)), claims_error="refused")
    assert stripped(failed, [f"{FERRY} {BAD}"], "pass", 0.0, self_contained=True) is None


def test_what_was_taken_out_is_told_with_its_verdict():
    answer = f"{FERRY} {BAD} It was rebuilt in 1543."
    found = stripped(check(answer, [SOURCE]), [answer], "pass", 0.0, self_contained=False)
    assert [each["text"] for each in found.removed] == [BAD, "It was rebuilt in 1543."]
    (false,), (true,) = (each["claims"] for each in found.removed)
    assert (false["claim"], false["outcome"], false["error_type"]) == (BAD, "contradicted", "number")
    assert (true["claim"], true["outcome"]) == (BUILT, "supported")
    assert false["reason"]
