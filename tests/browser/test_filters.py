"""Filters by class and type, and the search: alone, together, and where nothing is left."""

from reports import harbour, long_answer

from trail_callbacks import SupportClass, check

REPORT = harbour()


def ids(report, keep):
    return [claim.id for claim in report.claims if keep(claim, report.verdict(claim.id))]


def only(view, name, *values):
    """Leaves those boxes of a filter on, whatever they were."""
    for box in view.page.locator(f'input[name="{name}"]').all():
        wanted = box.get_attribute("value") in values
        if box.is_checked() != wanted:
            box.click()


def wait(view, expected):
    """The search may wait for the end of typing."""
    for _ in range(200):
        if view.options() == expected:
            return
        view.page.wait_for_timeout(50)
    assert view.options() == expected


def test_one_class(show):
    view = show(REPORT)
    for support in SupportClass:
        only(view, "class", support.value)
        wait(view, ids(REPORT, lambda _, verdict, support=support: verdict.support is support))
        assert not view.page.locator("#empty").is_visible()


def test_one_type(show):
    view = show(REPORT)
    for error in (error for error, count in REPORT.error_counts.items() if count):
        only(view, "type", error.value)
        wait(view, ids(REPORT, lambda _, verdict, error=error: verdict.error_type is error))


def test_claims_without_a_class(show):
    report = long_answer(12)
    view = show(report)
    for outcome in ("not_judged", "undecided"):
        only(view, "class", outcome)
        wait(view, ids(report, lambda _, verdict, outcome=outcome: verdict.outcome == outcome))


def test_search(show):
    view = show(REPORT)
    for words, expected in {
        "swell": ["c6"],
        "SWELL": ["c6"],
        "every day": ["c7"],
        "  kiosk ": ["c4"],
        "c9": ["c9"],
        "runa vik": ["c8"],  # in its evidence
    }.items():
        view.page.fill("#search", words)
        wait(view, expected)
        view.page.fill("#search", "")
        wait(view, [claim.id for claim in REPORT.claims])


def test_words_far_down_in_a_text_come_into_sight(show):
    filler = "The quay was swept in the morning. " * 120
    view = show(check("The quay was swept.", [f"{filler}A ticket office opened at the north gate. {filler}"]))
    view.page.fill("#search", "north gate")
    frame = view.page.locator('.verbatim:has-text("north gate"):visible')
    frame.wait_for()
    assert frame.evaluate("frame => frame.scrollHeight > 3 * frame.clientHeight")
    top, bottom, high = frame.evaluate("""frame => {
      const [found] = CSS.highlights.get("search"), at = found.getBoundingClientRect(), box = frame.getBoundingClientRect();
      return [at.top - box.top, at.bottom - box.top, frame.clientHeight];
    }""")
    assert 0 <= top < bottom <= high


def test_class_type_and_search_together(show):
    report = long_answer()
    view = show(report)
    only(view, "class", "contradicted", "absent")
    only(view, "type", "number")
    view.page.fill("#search", "room 1")
    expected = ids(
        report,
        lambda claim, verdict: (
            str(verdict.support) in ("contradicted", "absent")
            and str(verdict.error_type) == "number"
            and "room 1" in claim.text.casefold()
        ),
    )
    assert len(expected) > 1
    wait(view, expected)


def test_nothing_left_says_so(show):
    view = show(REPORT)
    assert not view.page.locator("#empty").is_visible()
    for words in ("nothing says this", ".*", "[c3]", "((", "\\", "<b>", "%", "' or 1=1", '"'):
        view.page.fill("#search", words)
        wait(view, [])
        assert view.page.locator("#empty").is_visible()
        assert view.page.inner_text("#empty").strip()
        view.page.fill("#search", "")
        wait(view, [claim.id for claim in REPORT.claims])
        assert not view.page.locator("#empty").is_visible()


def test_keys_walk_through_what_is_left(show):
    view = show(REPORT)
    only(view, "class", "contradicted")
    wait(view, ["c3", "c6"])
    view.page.locator('[role="listbox"]').focus()
    seen = []
    for _ in range(2):
        view.page.keyboard.press("j")
        seen.append(view.selected)
    assert seen == ["c3", "c6"]


def test_an_address_reaches_a_claim_that_is_filtered_out(show):
    view = show(REPORT)
    only(view, "class", "supported")
    view.page.evaluate("location.hash = '#claim=c3'")
    view.page.wait_for_function("document.querySelector('#detail').dataset.claim === 'c3'")


def test_the_selected_claim_stays_selected_under_a_filter(show):
    view = show(REPORT, fragment="#claim=c2")
    only(view, "class", "contradicted")
    wait(view, ["c3", "c6"])
    assert view.selected in ("c2", None)  # but never another one, and no error
    assert view.page.locator('[role="option"][aria-selected="true"]:visible').count() == 0
