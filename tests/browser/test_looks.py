"""Themes, contrast, print, a narrow window, no script, and the rules of accessibility."""

import re
import unicodedata

import pytest
from reports import MISSING, demo, diagnosed, harbour, layered, long_answer

from trail_callbacks import Node, ProvenanceGraph, verify

REPORT = harbour()
WIDTHS = (320, 390, 768, 1024, 1440)

CONTRASTS = """(selector) => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
  const pen = canvas.getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.push(rgba(getComputedStyle(each).backgroundColor));
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    return layers.reverse().reduce((below, layer) => over(layer, below), rgba(getComputedStyle(document.documentElement)
      .colorScheme.includes('dark') && dark ? '#121212' : '#ffffff'));
  };
  const opacity = (element) => {
    let value = 1;
    for (let each = element; each; each = each.parentElement) value *= parseFloat(getComputedStyle(each).opacity);
    return value;
  };
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const box = element.getBoundingClientRect();
    if (!own || !box.width || !box.height || !element.checkVisibility()) continue;
    const below = ground(element);
    const [r, g, b, a] = rgba(getComputedStyle(element).color);
    const text = over([r, g, b, a * opacity(element)], below);
    const [light, dark] = [luminance(text), luminance(below)].sort((x, y) => y - x);
    found.push([(light + 0.05) / (dark + 0.05), `${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 40)}`]);
  }
  return found;
}"""


def worst(view, selector):
    found = view.page.evaluate(CONTRASTS, selector)
    assert found, f"nothing matches {selector}"
    return min(found)


def background(view):
    return view.page.evaluate(
        """[document.body, document.documentElement].map((each) => getComputedStyle(each).backgroundColor)
             .find((colour) => colour !== 'rgba(0, 0, 0, 0)') ?? 'rgb(255, 255, 255)'"""
    )


def lightness(colour):
    red, green, blue = (float(each) for each in re.findall(r"[\d.]+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_contrast_is_measured_right(show):
    """Against ratios that WCAG 2.2 gives by its formula."""
    view = show(
        '<!doctype html><html data-ready="true"><meta charset="utf-8"><title>x</title><body style="background:#fff">'
        '<p style="color:#777">a</p><b style="color:#000">b</b><i style="color:#000;opacity:.5">c</i>'
    )
    for selector, ratio in (("p", 4.48), ("b", 21.0), ("i", 3.95)):
        assert worst(view, selector)[0] == pytest.approx(ratio, abs=0.03)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system(show, scheme):
    view = show(REPORT, color_scheme=scheme)
    assert (lightness(background(view)) > 128) is (scheme == "light")


@pytest.mark.parametrize("forced", [False, True], ids=["system", "button"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(show, scheme, forced):
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    other = {"light": "dark", "dark": "light"}[scheme]
    view = show(long_answer(12), color_scheme=other if forced else scheme)
    for _ in range(3):
        if (lightness(background(view)) > 128) == (scheme == "light"):
            break
        view.page.locator("#theme").click()
    for claim in (None, "c2", "c4", "c6"):
        if claim:
            view.select(claim)
        ratio, where = worst(view, "body *")
        assert ratio >= 4.5, where


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rules_of_accessibility_hold(show, scheme):
    """In every state of the page; tests/browser/test_quiet.py looks at reports in which something is missing."""
    view = show(REPORT, color_scheme=scheme)
    assert view.violations() == []
    view.select("c3")
    assert view.violations() == []
    view.page.fill("#search", "nothing says this")
    assert view.violations() == []
    view.page.fill("#search", "")
    view.page.locator("#theme").focus()
    view.page.keyboard.press("?")
    assert view.page.locator("#help").is_visible()
    assert view.violations() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_strip_of_a_diagnosis_can_be_read(show, scheme):
    view = show(diagnosed(), color_scheme=scheme)
    view.page.locator("#path summary").click()
    ratio, where = worst(view, "#path *")
    assert ratio >= 4.5, where
    assert view.violations() == []
    assert view.page.locator(".strip > li[data-broken]").count() == 1
    assert "First break" in view.page.locator(".strip > li[data-broken]").inner_text()


@pytest.mark.parametrize("app", ["demo", "harbour", "long", "layered", "diagnosed"])
def test_nothing_is_wider_than_the_window(show, app):
    report = {"harbour": harbour, "demo": demo, "long": long_answer, "layered": layered, "diagnosed": diagnosed}[app]()
    view = show(report)
    for step, width in enumerate((*WIDTHS, *WIDTHS)):
        view.page.set_viewport_size({"width": width, "height": 844})
        view.settled()
        wide = view.page.evaluate("""() => [document.documentElement.scrollWidth - innerWidth,
          [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
            && each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('#graph')
            && ![...(function* () { for (let p = each.parentElement; p; p = p.parentElement) yield p })()]
              .some((p) => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(p).overflowX)))
            .map((each) => each.outerHTML.slice(0, 120)).slice(0, 3)]""")
        assert wide == [0, []], width
        if step == len(WIDTHS) - 1:
            view.select(report.claims[min(1, len(report.claims) - 1)].id)


def test_names_stay_in_their_boxes(show):
    names = (
        "W" * 40,
        "\u535a\u7269\u9986" * 12,
        "a/path/without/a/blank.md" * 3,
        "the quick brown fox " * 4,
        "\U0001f3db" * 20,
    )
    sources = [
        Node(id=f"{n} {name}", kind="document", text="It opened in 1926.", step=name, attributes={"source": name})
        for n, name in enumerate(names)
    ]
    view = show(verify(ProvenanceGraph.from_texts("It opened in 1962.", sources)))
    wide = view.page.evaluate("""() => document.getElementById('graph')._cyreg.cy.nodes().not('.stage').map((each) => {
      const label = each.boundingBox({ includeNodes: false, includeOverlays: false });
      return [each.data('label'), label.w - each.width() <= 1 && label.h <= each.height()];
    })""")
    assert len(wide) == len(names) + 1
    assert [name for name, fits in wide if not fits] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_print_shows_every_claim_with_its_details(show, scheme):
    view = show(REPORT, color_scheme=scheme)
    view.select("c3")
    view.page.emulate_media(media="print")
    text = view.text()
    for claim in REPORT.claims:
        verdict = REPORT.verdict(claim.id)
        assert claim.quote in text
        assert verdict.rationale in text, claim.id
        for item in verdict.evidence:
            assert item.quote in text, claim.id
    assert lightness(background(view)) > 200 or background(view) == "rgba(0, 0, 0, 0)"
    clipped = view.page.evaluate("""() => [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
      && !['CANVAS', 'SUMMARY'].includes(each.tagName) && !each.closest('#graph')
      && (each.scrollHeight > each.clientHeight + 2 || each.scrollWidth > each.clientWidth + 2)
      && ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(each).overflowY) && each.clientWidth > 1)
      .map((each) => each.outerHTML.slice(0, 120))""")
    assert clipped == []
    ratio, where = worst(view, "body *")
    assert ratio >= 4.5, where


def squeezed(text):
    """Without blanks and signs: lines are broken anywhere on paper, and claims have signs before them."""
    return re.sub(r"\W", "", unicodedata.normalize("NFKC", text))


@pytest.mark.parametrize("case", ["harbour", "demo", *MISSING])
def test_without_script_it_can_be_read(show, case):
    report = {"harbour": harbour, "demo": demo, **MISSING}[case]()
    view = show(report, script=False)
    text = re.sub(r"\s+", " ", view.text())
    for node in report.graph.nodes[:20]:
        for line in node.text.splitlines():
            assert re.sub(r"\s+", " ", line).strip() in text
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        assert re.sub(r"\s+", " ", claim.quote) in text
        if verdict.rationale:
            assert re.sub(r"\s+", " ", verdict.rationale) in text
        for item in verdict.evidence:
            assert text.count(re.sub(r"\s+", " ", item.quote)) >= 2
    if report.hallucination_score is not None:
        assert f"{report.hallucination_score:.2f}" in text
    for control in view.page.locator("button, input, select").all():
        assert not control.is_visible()  # it would do nothing
