"""Texts that try to be more than text stay text: in every field, in every pane, with the policy and without it."""

import re

import pytest
from browsing import HOST
from hostile import BATCHES, TEXTS, report

# Elements and attributes that could fetch, run or lead elsewhere; their number must be that of a harmless report.
ACTIVE = """() => [...document.querySelectorAll(
  'img, iframe, object, embed, base, form, link, video, audio, source, svg script, math, a[href], area, frame, portal,'
  + 'script, style, meta, title, template, noscript, h1, body, main, [src], [srcset], [srcdoc], [background], [poster],'
  + '[action], [formaction], [ping]')].map((each) => each.cloneNode(false).outerHTML.slice(0, 80)).sort()"""
HANDLERS = """() => [...document.querySelectorAll('*')].flatMap((each) => [...each.attributes]
  .filter(({name, value}) => /^on/i.test(name) || /^\\s*(javascript|data|vbscript):/i.test(value)
    && !/^(value|title|data-.*|aria-.*)$/.test(name))
  .map(({name, value}) => `${each.tagName} ${name}=${value}`.slice(0, 200)))"""
POLLUTED = "() => Object.keys(Object.prototype).concat(Object.keys(Array.prototype))"


def inert(view, plain):
    """Nothing in the page comes from a text."""
    assert view.page.evaluate(ACTIVE) == plain
    assert view.page.evaluate(HANDLERS) == []
    assert view.page.evaluate(POLLUTED) == []
    assert view.seen.all == []


def used(view):
    """Goes through the page as a reader would: claims, search, filters, theme, graph, addresses, keys."""
    page = view.page
    claims = view.options()
    options = page.locator('[role="option"][data-claim]')
    for place, claim in enumerate(claims[: len(BATCHES[0]) + 1]):
        options.nth(place).click()
        assert view.selected == claim
    page.locator("#detail").hover()
    for text in ("<img src=x: onerror=canary('search')>", "${canary('search')}", "script", ""):
        page.fill("#search", text)
    for name in ("class", "type"):
        box = page.locator(f'input[name="{name}"]:enabled').first
        box.click()
        box.click()
    page.keyboard.press("Escape")
    page.locator("#all").click()
    page.locator("#theme").click()
    page.locator("#graph").scroll_into_view_if_needed()
    box = page.locator("#graph").bounding_box()
    for place in view.graph("cy.nodes().slice(0, 4).map((each) => each.renderedPosition())"):
        if 0 < place["x"] < box["width"] and 0 < place["y"] < box["height"]:
            page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
    for claim in claims[:2]:
        page.evaluate("(claim) => { location.hash = '#claim=' + claim }", claim)
    for key in ("Escape", "j", "k", "Enter", "?", "Escape"):
        page.keyboard.press(key)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def plain(chromium, tmp_path_factory):
    with chromium.opened(report("harmless"), tmp_path_factory.mktemp("plain")) as view:
        return view.page.evaluate(ACTIVE)


@pytest.mark.parametrize("names", BATCHES, ids=lambda names: names[0])
def test_hostile_texts_in_every_field_are_inert(show, plain, names):
    """Without the policy: it is the second wall, and nothing may lean on it."""
    texts = [TEXTS[name] for name in names]
    view = show(report(*texts), bypass_csp=True)
    assert len(view.options()) == len(texts) + 1
    used(view)
    inert(view, plain)
    options = view.page.locator('[role="option"][data-claim]')
    for place, text in enumerate(texts):
        if text.isprintable() and len(text) < 2000:  # and it is to be read as it is
            options.nth(place).click()
            for shown in (view.page.locator("#detail"), options.nth(place)):
                assert squeezed(text) in squeezed(shown.text_content())
            assert squeezed(text) in squeezed(view.page.locator("#texts").text_content())


@pytest.mark.parametrize(
    "fragment",
    [
        "#claim=<img src=x: onerror=canary(1)>",
        "#claim=%3Cimg%20src%3Dx:%20onerror%3Dcanary(1)%3E",
        '#claim=c1"],script,[x="',
        "#claim=__proto__",
        "#claim=constructor",
        "#claim=javascript:canary(1)",
        "#javascript:canary(1)",
        "#<script>canary(1)</script>",
        "#claim=" + "a" * 100_000,
        "#claim=%E0%A4%A",
        "#claim=\u202e",
    ],
)  # fmt: skip
def test_a_hostile_address_is_inert(show, plain, fragment):
    view = show(report("harmless"), fragment=fragment, bypass_csp=True)
    assert view.selected == "harmless", "as without one"
    inert(view, plain)


@pytest.mark.parametrize(
    "injected",
    [
        "<script>canary('injected')</script>",
        "<img src=x: onerror=canary('injected')>",
        f"<img src=http://{HOST}/pixel>",
        f"<iframe src=http://{HOST}/></iframe>",
        f"<link rel=stylesheet href=http://{HOST}/s.css>",
        "<p style=position:fixed;inset:0>over all</p>",
        f"<style>body{{background:url(http://{HOST}/b)}}</style>",
    ],
)
def test_the_policy_would_stop_what_escaping_let_through(chromium, tmp_path, injected):
    """A second wall: even raw markup in the page runs nothing and asks for nothing."""
    html = report("harmless").to_html().replace("</main>", f"{injected}</main>", 1)
    assert injected in html
    before = len(chromium.sink.taken)
    with chromium.opened(html, tmp_path) as view:
        said = view.seen.console
        assert view.until(lambda: any("POLICY" in each or "Content Security Policy" in each for each in said))
        view.settled()
        assert [each for each in said if "CANARY" in each] == []
        assert (
            view.page.evaluate(
                "getComputedStyle(document.querySelector('main > p:last-child') ?? document.body).position"
            )
            == "static"
        )
    # For a frame, Chromium may open a connection before it looks at the policy; it closes it, and nothing was said.
    assert [said for said in chromium.sink.taken[before:] if said] == []
