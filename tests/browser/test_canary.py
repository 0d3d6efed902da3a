"""The page of a canary run in a real browser: what it looks like, that it is inert, and that keys are enough."""

import re

import pytest
from canaries import hostile_page, page
from hostile import BATCHES, TEXTS
from test_hostile import HANDLERS, POLLUTED
from test_looks import background, lightness, worst

WIDTHS = (320, 768, 1440)
ACTIVE = (
    "() => document.querySelectorAll('script, link, img, iframe, object, embed, a, form, base, [src], [href]').length"
)
NO_VALUE = re.compile(r"\b(NaN|null|None|undefined|Infinity)\b")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_follows_the_theme_and_breaks_no_rule_of_accessibility(show, tmp_path, theme):
    view = show(page(tmp_path), color_scheme=theme)
    assert (lightness(background(view)) > 128) == (theme == "light")
    assert view.violations() == []
    assert worst(view, "body *")[0] >= 4.5


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(show, tmp_path, width):
    view = show(page(tmp_path), viewport={"width": width, "height": 800})
    assert view.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_everything_is_said_and_nothing_is_not_a_value(show, tmp_path):
    text = show(page(tmp_path)).text()
    for words in (
        "40 probes, 4 strategies, 640 trials",
        "The run is unfinished",
        "can be told apart",
        "tells the conflict",
        "its passage is gone",
        "TimeoutError: 30 s",
        "Decided",
        "stage 0",
    ):
        assert words.lower() in text.lower(), words
    assert not NO_VALUE.search(text)


def test_the_edit_is_marked_where_it_was_served(show, tmp_path):
    view = show(page(tmp_path))
    assert set(view.page.locator("mark").all_inner_texts()) == {"53 minutes", "53", "40 minutes"}


def test_keys_open_what_is_closed_and_scroll_what_is_wide(show, tmp_path):
    view = show(page(tmp_path), viewport={"width": 600, "height": 800})
    keyboard = view.page.keyboard
    kinds = set()
    for _ in range(60):
        keyboard.press("Tab")
        kinds.add(view.page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className"))
        if view.page.evaluate("document.activeElement.tagName") == "SUMMARY":
            before = view.page.evaluate("document.activeElement.parentElement.open")
            keyboard.press("Enter")
            assert view.page.evaluate("document.activeElement.parentElement.open") != before
    assert {"DIV.scroll", "SUMMARY."} <= kinds


@pytest.mark.parametrize("names", BATCHES, ids=lambda names: names[0])
def test_hostile_texts_in_every_field_are_inert(show, tmp_path, names):
    """Without the policy: it is the second wall, and nothing may lean on it."""
    view = show(hostile_page(tmp_path, [TEXTS[name] for name in names]), bypass_csp=True)
    assert view.page.evaluate(ACTIVE) == 0
    assert view.page.evaluate(HANDLERS) == []
    assert view.page.evaluate(POLLUTED) == []
    assert view.page.locator("#foot").is_visible()
    assert view.page.locator("pre.drawing").count() >= len(TEXTS) // len(BATCHES) // 2
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068") & set(view.text())


def test_the_policy_stops_what_escaping_would_let_through(chromium, tmp_path):
    html = page(tmp_path).replace("</main>", "<script>canary('injected')</script><p style='color:red'>x</p></main>", 1)
    with chromium.opened(html, tmp_path) as view:
        said = view.seen.console
        assert view.until(lambda: any("Content Security Policy" in each or "POLICY" in each for each in said))
        assert [each for each in said if "CANARY" in each] == []
