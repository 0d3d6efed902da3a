"""Without a mouse: keys, focus, and addresses that name a claim."""

import pytest
from reports import harbour

REPORT = harbour()
CLAIMS = [claim.id for claim in REPORT.claims]


def focused(view):
    return view.page.evaluate("document.activeElement?.id || document.activeElement?.tagName")


@pytest.mark.parametrize(("down", "up"), [("j", "k"), ("ArrowDown", "ArrowUp")])
def test_keys_walk_through_the_claims(show, down, up):
    view = show(REPORT)
    assert view.selected == next(claim.id for claim in REPORT.unsupported), "what there is to look at"
    assert view.page.evaluate("scrollY") == 0
    view.page.keyboard.press("Escape")
    if down == "ArrowDown":  # elsewhere they scroll
        view.page.locator('[role="listbox"]').focus()
    seen = []
    for _ in CLAIMS:
        view.page.keyboard.press(down)
        seen.append(view.selected)
    assert seen == CLAIMS
    view.page.keyboard.press(up)
    assert view.selected == CLAIMS[-2]
    active = view.option(CLAIMS[-2])
    assert active.evaluate(
        "(each) => { const b = each.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight + 1 }"
    )


def test_escape_clears(show):
    view = show(REPORT, fragment="#claim=c3")
    assert view.selected == "c3"
    view.page.keyboard.press("Escape")
    assert view.selected is None
    assert "c3" not in view.fragment


def test_slash_searches_and_letters_stay_in_the_field(show):
    view = show(REPORT)
    view.page.keyboard.press("/")
    assert focused(view) == "search"
    view.page.keyboard.type("jk?/")
    assert view.page.input_value("#search") == "jk?/"
    assert view.selected is None
    view.page.keyboard.press("Escape")
    view.page.keyboard.press("Escape")
    assert focused(view) != "search" or view.page.input_value("#search") == ""


def test_tab_reaches_everything_and_leaves_again(show):
    """Focus visits each control once, in the order of the page, visibly, and is not trapped."""
    view = show(REPORT)
    seen = []
    for _ in range(120):
        view.page.keyboard.press("Tab")
        what = view.page.evaluate("""() => {
          const it = document.activeElement;
          if (!it || it === document.body) return null;
          const style = getComputedStyle(it), box = it.getBoundingClientRect();
          const label = it.closest('label') ?? it;
          const around = getComputedStyle(label);
          const visible = [style, around].some((each) =>
            (each.outlineStyle !== 'none' && parseFloat(each.outlineWidth) > 0) || each.boxShadow !== 'none');
          return [it.id || it.name + it.value || it.tagName, visible, box.top];
        }""")
        if what is None:
            break
        seen.append(what)
    else:
        pytest.fail(f"the focus never leaves the page: {[what for what, *_ in seen[-10:]]}")
    names = [what for what, *_ in seen]
    assert "search" in names
    assert "theme" in names
    assert any("absent" in each for each in names)
    assert [what for what, visible, _ in seen if not visible] == []


def test_a_selection_is_in_the_address_and_back_leads_out(show):
    view = show(REPORT)
    for claim in ("c2", "c3", "c4"):
        view.select(claim)
        assert view.fragment == f"#claim={claim}"
    view.page.go_back()  # walking through claims leaves no trace in the history
    view.page.wait_for_url("about:blank")
    view.seen.places.clear()
