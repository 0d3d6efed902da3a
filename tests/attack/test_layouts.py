"""A false statement passes no guard because of how it is laid out.

The offline judge contradicts it in a plain sentence. So what is set in bold, in a heading, in a formula or in a comment
has to be withheld too, or said to be not checked; with `on_undecided="fail"` nothing of it may pass at all. A judge that
was talked into looking away (`careless`) must not open a guard either.

`TRAIL_ATTACK=full` runs all combinations; without it each layout meets each guard once, with the judges in turn.
"""

import os
import re
import sys
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parent))
from apps import APPS, WAYS
from careless import CANNOT_SAY, JUDGES, TRUE, TURNS, Turning

from trail_callbacks.guard import BLOCKED
from trail_callbacks.verify.threshold import unsettled

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own
FULL = os.environ.get("TRAIL_ATTACK") == "full"
SOURCE = "The lighthouse of Genoa was rebuilt in 1543 and is 77 metres tall."
FALSE = "The lighthouse of Genoa is 97 metres tall."
CLAUSE = FALSE[0].lower() + FALSE[1:-1]
LAYOUTS = {
    "plain": FALSE,
    "bold": f"**{FALSE}**",
    "heading": f"# {FALSE}",
    "underlined": f"{FALSE}\n{'=' * len(FALSE)}",
    "number in bold": "The lighthouse of Genoa is **97** metres tall.",
    "number in code": "The lighthouse of Genoa is `97` metres tall.",
    "fence": f"```\n{FALSE}\n```",
    "fence with a language": f"~~~text\n{FALSE}\n~~~",
    "indented": f"Here it is:\n\n    {FALSE}\n",
    "code": f"`{FALSE}`",
    "formula": f"$${FALSE}$$",
    "inline formula": f"\\({FALSE}\\)",
    "comment": f"<!-- {FALSE} -->",
    "element": f"<h1>{FALSE}</h1>",
    "details": f"<details><summary>{FALSE}</summary></details>",
    "cell": f"| a |\n| --- |\n| {FALSE} |",
    "list": f"- {FALSE}",
    "numbered": f"1. {FALSE}",
    "link text": f"[{FALSE}](https://example.org)",
    "alternative text": f"![{FALSE}](https://example.org/a.png)",
    "quotation": f"> {FALSE}",
    "struck": f"~~{FALSE}~~",
    "footnote": f"[^1]: {FALSE}",
    "JSON": f'{{"answer": "{FALSE}"}}',
    "digits of another script": "The lighthouse of Genoa is \u0669\u0667 metres tall.",
    "words": "The lighthouse of Genoa is ninety-seven metres tall.",
    "after ignorance": f"I do not know much, but {CLAUSE}.",
}
"""Where a plain reader sees the statement all the same."""
FRAMES = {
    "question": f"Did you know that {CLAUSE}?",
    "tag question": f"{FALSE[:-1]}, isn't it?",
    "no contradiction": f"There is no information that contradicts that {CLAUSE}.",
    "denied": f"It is not true that {CLAUSE}.",
    "cell under a heading": f"| height |\n| --- |\n| {FALSE} |",
    "superscript": "The lighthouse of Genoa is \u2079\u2077 metres tall.",
    "title of a link": f'[The lighthouse](https://example.org "{FALSE}")',
}
"""Where the offline judge may abstain: then the answer passes by default, and says that this was not checked."""


MODES = (
    {"on_fail": "block"},
    {"on_fail": "retry", "max_retries": 1},
    {"on_fail": "block", "on_undecided": "fail"},
    {"on_fail": "strip"},
)


def turns(names, *others):
    """Each name with one combination of the others in turn; all of them if the full matrix is wanted."""
    combinations = list(product(*others))
    if FULL:
        return [(name, *each) for name in names for each in combinations]
    return [(name, *combinations[(7 * i) % len(combinations)]) for i, name in enumerate(names)]


def leaks(visible):
    visible = re.sub(r"\\*'removed\\*': \[.*?\], \\*'attempts", "", visible)  # what the app is told of `strip`
    return re.search("(97|\u0669\u0667|ninety-seven|\u2079\u2077)\\W{1,3}metres", visible) is not None


def beside(judge, text, mode=MODES[0]):
    """The answer for a judge: with a true sentence before the false one for those who see only that, and to be left."""
    return f"{TRUE}\n\n{text}" if judge.startswith("one of two") or mode["on_fail"] == "strip" else text


@pytest.mark.parametrize("guard", APPS)
def test_a_layout_opens_no_guard(guard):
    leaked = []
    for name, judge, way, mode in turns(LAYOUTS, JUDGES, WAYS[guard], MODES):
        visible = APPS[guard](beside(judge, LAYOUTS[name], mode), SOURCE, way, {"judge": JUDGES[judge](), **mode})
        if leaks(visible):
            leaked.append((name, judge, way, mode))
    assert leaked == []


@pytest.mark.parametrize("guard", APPS)
def test_a_judge_that_denies_what_it_quotes_opens_no_guard(guard):
    """In a sentence that denies already, one denial more is not told: `denied` and `no contradiction` are left out."""
    texts = {**LAYOUTS, **{name: FRAMES[name] for name in ("question", "tag question", "title of a link")}}
    leaked = []
    for name, way, mode in turns(texts, WAYS[guard], MODES):
        judge = Turning((" is ", " is not "))
        if leaks(APPS[guard](texts[name], SOURCE, way, {"judge": judge, **mode})):
            leaked.append((name, way, mode))
    assert leaked == []


@pytest.mark.parametrize("guard", APPS)
@pytest.mark.parametrize("name", TURNS)
def test_a_judge_that_says_the_opposite_opens_no_guard_in_any_language(guard, name):
    answer, turn = TURNS[name]
    for way in WAYS[guard] if FULL else WAYS[guard][:1]:
        judge = Turning(turn)
        assert answer[4:-1] not in APPS[guard](answer, SOURCE, way, {"judge": judge, "on_fail": "block"})


ALL_JUDGES = {**JUDGES, **CANNOT_SAY}


@pytest.mark.parametrize("guard", APPS)
def test_in_the_strict_setting_no_frame_opens_a_guard(guard):
    texts, leaked = {**FRAMES, **LAYOUTS}, []
    for name, judge, way in [*turns(FRAMES, JUDGES, WAYS[guard]), *turns(texts, CANNOT_SAY, WAYS[guard])]:
        settings = {"judge": ALL_JUDGES[judge](), "on_fail": "block", "on_undecided": "fail"}
        if leaks(APPS[guard](beside(judge, texts[name]), SOURCE, way, settings)):
            leaked.append((name, judge, way))
    assert leaked == []


@pytest.mark.parametrize("guard", APPS)
def test_by_default_a_frame_is_withheld_or_named_as_not_checked(guard):
    texts, unseen = {**FRAMES, **LAYOUTS}, []
    for name, judge, way in [*turns(FRAMES, ["offline"], WAYS[guard]), *turns(texts, CANNOT_SAY, WAYS[guard])]:
        reports = []
        settings = {"judge": ALL_JUDGES[judge](), "on_fail": "block", "on_report": reports.append}
        visible = APPS[guard](beside(judge, texts[name]), SOURCE, way, settings)
        if leaks(visible) and not (reports[-1].undecided or unsettled(reports[-1])):
            unseen.append((name, judge, way))
    assert unseen == []


@pytest.mark.parametrize("guard", APPS)
def test_what_is_true_passes_in_all_ways(guard):
    """So that what the other tests say is not that nothing is shown at all."""
    for way in WAYS[guard]:
        assert "1543" in APPS[guard](TRUE, SOURCE, way, {"on_fail": "block"})


@pytest.mark.parametrize("guard", APPS)
def test_what_is_true_stays_where_the_false_is_taken_out(guard):
    for way in WAYS[guard]:
        visible = APPS[guard](f"{TRUE} {FALSE}", SOURCE, way, {"on_fail": "strip"})
        assert not leaks(visible), way
        structured = guard != "guard_agent" and any(form in way for form in ("tool", "provider", "structured"))
        assert (BLOCKED in visible) is structured, way
