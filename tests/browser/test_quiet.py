"""Whatever a report holds or lacks: the page opens, says it, and does nothing else."""

import re

import pytest
from reports import MISSING, harbour, scripts

NO_VALUE = re.compile(r"\b(NaN|null|None|undefined|\[object Object\]|Infinity)\b")
EMPTY_SECTIONS = """() => [...document.querySelectorAll('section')].filter((each) => each.checkVisibility())
  .filter((each) => { const title = each.querySelector('h2'); return title?.checkVisibility()
    && !each.innerText.replace(title.innerText, '').replace(/All texts|Clear Esc/g, '').trim()
    && !each.querySelector('canvas'); })
  .map((each) => each.innerText)"""
DIRECTION = """() => getComputedStyle(document.querySelector('mark[data-claim="c1"]').closest('[dir]')).direction"""
DIRECTIONS_IN_DETAIL = """(text) => {
  const holds = (each) => each.textContent.includes(text);
  return [...document.querySelectorAll('#detail *')]
    .filter((each) => holds(each) && ![...each.children].some(holds))
    .map((each) => getComputedStyle(each).direction);
}"""
SAYS = {
    "no graph": "answer",
    "no answer": "no answer",
    "interrupted": "no answer yet",
    "judge failed": "401 no key",
    "no evidence": "no source",
    "abstained": "declines",
    "no checkable claims": "no checkable claim",
    "no claims": "no checkable claim",
    "unverified": "nothing that the answer states could be checked",
    "partial": "out of budget: 2 claims were not judged",
    "blank texts": "empty",
    "no edges": "42 guest berths",
    "bare verdict": "unevaluatable",
}


def test_a_page_that_does_nothing_is_quiet(show):  # not beside pages that connect: Chromium tries again, late
    view = show('<!doctype html><html data-ready="true"><meta charset="utf-8"><title>x</title><p>hello')
    view.page.wait_for_timeout(300)
    assert view.page.inner_text("p") == "hello"


@pytest.mark.parametrize("case", MISSING)
def test_what_is_missing_is_said(show, case):
    report = MISSING[case]()
    view = show(report)
    text = view.text()
    assert SAYS[case].casefold() in text.casefold()
    assert not NO_VALUE.search(text)
    assert view.page.locator(f'[data-state="{report.state}"]').count() == 1
    for warning in report.warnings:
        assert warning in text
    if report.graph.answer is not None:
        assert report.graph.answer.text.split("\n")[0] in text
    assert view.page.evaluate(EMPTY_SECTIONS) == []
    assert view.violations() == []
    for claim in view.options():
        view.select(claim)
    for key in ("j", "k", "ArrowDown", "ArrowUp", "Enter", "Escape", "/"):
        view.page.keyboard.press(key)


@pytest.mark.parametrize("script", scripts())
def test_evidence_in_any_script_is_marked_at_its_place_and_runs_in_its_own_direction(show, script):
    report = scripts()[script]
    view = show(report)
    view.select("c1")
    marked = "".join(view.page.locator('[data-node-text="source-1"] mark[data-evidence]').all_inner_texts())
    expected = report.verdicts[0].evidence[0].quote
    spelled_out = script in ("zero width", "line ends")  # so that such characters can be seen
    if spelled_out:
        marked, expected = (re.sub(r"\\[xu][0-9a-f]+|[\s\u200d]|\W", "", each) for each in (marked, expected))
        expected = re.sub(r"[\u200b\xad]", "", expected)
    assert marked == expected
    assert view.page.evaluate(
        """() => [...document.querySelectorAll('[data-node-text="source-1"]')]
             .every((each) => each.scrollWidth <= each.clientWidth)"""
    )
    direction = "rtl" if script in ("arabic", "hebrew") else "ltr"
    assert view.page.evaluate(DIRECTION) == direction
    if not spelled_out:  # words of ours around a text do not turn it around
        assert set(view.page.evaluate(DIRECTIONS_IN_DETAIL, report.verdicts[0].rationale)) == {direction}


def test_the_same_report_gives_the_same_page():
    assert harbour().to_html() == harbour().to_html()
