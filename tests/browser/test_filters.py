"""Filters by class and type, and the search: alone, together, and where nothing is left."""

from reports import harbour, long_answer

from trail_callbacks import SupportClass

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
    view.until(lambda: view.options() == expected)
    assert view.options() == expected


def test_one_class(show):
    view = show(REPORT)
    for support in SupportClass:
        only(view, "class", support.value)
        wait(view, ids(REPORT, lambda _, verdict, support=support: verdict.support is support))
        assert not view.page.locator("#empty").is_visible()


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
