"""Selecting a claim lights its trail: in the graph, for screen readers, and in the texts."""

import pytest
from reports import harbour, layered

REPORT = harbour()
ROLES = ("introduced", "carried", "evidence", "answer")


def expected(verdict):
    """(node, role) of what must be lit; more roles of the same node may be."""
    lit = {(item.node_id, "evidence") for item in verdict.evidence}
    lit |= {(verdict.introduced_at, "introduced")} if verdict.introduced_at else set()
    return lit | {(node, "carried") for node in verdict.carried_through if node != "n8"}


def told(view):
    return {(node, role) for node, roles in view.trail() for role in roles.split()}


def drawn(view, role):
    """Nodes of the graph that the graph library shows in a role."""
    return set(view.graph(f"cy.nodes('.{role}').map((each) => each.data('node')).filter((each) => each !== undefined)"))


def on_the_way(verdict):
    """Nodes that a trail may light: those from which, or to which, a way leads through its own."""
    own = {node for node, _ in expected(verdict)} | {"n8"}
    return own | {each.id for node in own for each in REPORT.graph.upstream(node)}


@pytest.mark.parametrize("claim", [each.id for each in REPORT.claims])
def test_a_click_lights_the_trail(show, claim):
    view = show(REPORT)
    view.option(claim).click()
    verdict = REPORT.verdict(claim)
    lit = told(view)
    assert expected(verdict) <= lit
    assert {node for node, role in lit if role in ("introduced", "carried", "evidence")} <= on_the_way(verdict)
    for role in ("introduced", "evidence"):
        assert {node for node, kind in lit if kind == role} == {n for n, kind in expected(verdict) if kind == role}
    for role in ROLES:
        assert drawn(view, role) == {node for node, kind in lit if kind == role}, role


@pytest.mark.parametrize("claim", [each.id for each in REPORT.claims])
def test_the_detail_says_all_that_is_known(show, claim):
    view = show(REPORT)
    view.option(claim).click()
    verdict = REPORT.verdict(claim)
    detail = view.page.locator("#detail")
    text = detail.inner_text().casefold()
    assert str(verdict.support).replace("_", " ") in text
    if verdict.error_type:
        assert str(verdict.error_type).replace("_", " ") in text
    assert verdict.rationale.casefold() in text
    assert "0.87" in text
    assert "gold/1" in text
    for item in verdict.evidence:
        quotes = detail.locator(f'blockquote[data-node="{item.node_id}"]')
        assert any(item.quote in quote for quote in quotes.all_inner_texts())
    if verdict.introduced_at:
        assert REPORT.graph.node(verdict.introduced_at).step.casefold() in text


@pytest.mark.parametrize("claim", [each.id for each in REPORT.claims if REPORT.verdict(each.id).evidence])
def test_evidence_is_marked_in_its_place_and_in_sight(show, claim):
    view = show(REPORT)
    view.option(claim).click()
    verdict = REPORT.verdict(claim)
    for node in {item.node_id for item in verdict.evidence}:
        marks = view.page.locator(f'[data-node-text="{node}"] mark[data-evidence]')
        quotes = [item.quote for item in verdict.evidence if item.node_id == node]
        assert "".join(marks.all_inner_texts()) == "".join(sorted(quotes, key=REPORT.graph.node(node).text.index))
        assert marks.first.is_visible()
    others = {n.id for n in REPORT.graph.nodes} - {item.node_id for item in verdict.evidence}
    for node in others:
        assert view.page.locator(f'[data-node-text="{node}"] mark[data-evidence]').count() == 0


def test_the_answer_is_marked_word_for_word(show):
    view = show(REPORT)
    for claim in REPORT.claims:
        marks = view.page.locator(f'mark[data-claim~="{claim.id}"][data-class]').filter(visible=True)
        assert "".join(marks.all_inner_texts()) == claim.quote
        assert str(REPORT.verdict(claim.id).support) in {each.get_attribute("data-class") for each in marks.all()}


def test_a_class_is_told_by_more_than_colour(show):
    view = show(REPORT)
    looks = {}
    for claim in REPORT.claims:
        mark = view.page.locator(f'mark[data-claim~="{claim.id}"][data-class]').first
        before = mark.evaluate("(each) => [getComputedStyle(each, '::before').content, each.innerText].join()")
        line = mark.evaluate(
            "(each) => getComputedStyle(each).textDecorationStyle + getComputedStyle(each).borderBottomStyle"
        )
        looks.setdefault(str(REPORT.verdict(claim.id).support), set()).add((before.split(",")[0], line))
    signs = [next(iter(each))[0] for each in looks.values()]
    assert len(set(signs)) == len(signs)


def test_a_click_into_the_answer_selects(show):
    view = show(REPORT)
    view.page.locator('mark[data-claim~="c6"][data-class]').first.click()
    assert view.selected == "c6"
    assert view.option("c6").get_attribute("aria-selected") == "true"
    assert view.page.locator('[role="option"][aria-selected="true"]').count() == 1


def test_another_claim_puts_out_the_first(show):
    view = show(REPORT)
    view.option("c3").click()
    first = told(view)
    view.option("c7").click()
    assert told(view) != first
    assert "introduced" not in {role for _, role in told(view)}
    assert drawn(view, "introduced") == set()


def test_nothing_is_lit_before_and_after(show):
    view = show(REPORT)
    assert (view.selected, view.trail()) == (None, set())
    view.option("c3").click()
    assert view.trail()
    view.page.keyboard.press("Escape")
    assert (view.selected, view.trail()) == (None, set())
    assert all(drawn(view, role) == set() for role in ROLES)


def test_the_graph_shows_every_node_and_edge_stage_by_stage(show):
    view = show(REPORT)
    shown = view.graph(
        "cy.nodes().filter((n) => n.data('node') !== undefined).map((n) => [n.data('node'), n.position('x'), n.position('y')])"
    )
    assert {node for node, _, _ in shown} == {node.id for node in REPORT.graph.nodes}
    assert view.graph("cy.edges().length") == len(REPORT.graph.edges)
    along = 1 if len({round(x) for _, x, _ in shown}) <= len({round(y) for _, _, y in shown}) else 2
    for one, *at in shown:
        for other, *there in shown:
            if REPORT.graph.node(one).stage < REPORT.graph.node(other).stage:
                assert at[along - 1] != there[along - 1]
    canvas = view.page.locator("#graph canvas").first
    box = canvas.bounding_box()
    assert box["width"] > 200
    assert box["height"] > 100


def test_a_tap_on_a_node_shows_its_text(show):
    view = show(REPORT)
    view.page.locator("#graph").scroll_into_view_if_needed()
    place = view.graph("(({x, y}) => [x, y])(cy.nodes().filter((n) => n.data('node') === 'd2').renderedPosition())")
    box = view.page.locator("#graph").bounding_box()
    view.page.mouse.click(box["x"] + place[0], box["y"] + place[1])
    view.page.wait_for_timeout(500)
    text = view.page.locator('[data-node-text="d2"]').filter(visible=True).first
    assert text.is_visible()
    assert text.evaluate(
        "(each) => { const b = each.getBoundingClientRect(); return b.top < innerHeight && b.bottom > 0 }"
    )


def test_ten_thousand_nodes_open_by_step_and_a_claim_finds_its_way(show):
    report = layered()
    assert len(report.graph.nodes) > 10_000
    view = show(report)
    assert view.graph("cy.nodes().length") < 200
    view.option("c2").click()
    verdict = report.verdict("c2")
    lit = told(view)
    assert (verdict.introduced_at, "introduced") in lit
    assert (verdict.evidence[0].node_id, "evidence") in lit
    assert {(node, "carried") for node in verdict.carried_through if node != "answer"} <= lit
    for role in ("introduced", "evidence"):
        assert view.graph(f"cy.nodes('.{role}').length") == 1
    marks = view.page.locator('[data-node-text="n0.92"] mark[data-evidence]')
    assert marks.inner_text() == verdict.evidence[0].quote
