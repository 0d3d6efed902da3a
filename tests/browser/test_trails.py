"""Selecting a claim lights its trail: in the graph, for screen readers, and in the texts."""

from reports import harbour, layered

REPORT = harbour()
CLAIMS = [each.id for each in REPORT.claims]
ROLES = ("introduced", "carried", "evidence")


def expected(verdict):
    """(node, role) of what must be lit; more roles of the same node may be."""
    lit = {(item.node_id, "evidence") for item in verdict.evidence}
    lit |= {(verdict.introduced_at, "introduced")} if verdict.introduced_at else set()
    return lit | {(node, "carried") for node in verdict.carried_through if node != "n8"}


def told(view):
    return {(node, role) for node, roles in view.trail() for role in roles.split()}


def placed(view, which="cy.nodes()"):
    """Where the graph library draws nodes: (x, y) on the screen by node id; it names each by its place."""
    found = view.graph(f"{which}.map((each) => [each.id(), each.renderedPosition()])")
    numbered = ((name.removeprefix("n"), at) for name, at in found)  # others are groups and captions
    return {REPORT.graph.nodes[int(name)].id: (at["x"], at["y"]) for name, at in numbered if name.isdecimal()}


def drawn(view, role):
    """Nodes that the graph library shows in a role."""
    return set(placed(view, f"cy.nodes('.{role}')"))


def on_the_way(verdict):
    """Nodes that a trail may light: those from which, or to which, a way leads through its own."""
    own = {node for node, _ in expected(verdict)} | {"n8"}
    return own | {each.id for node in own for each in REPORT.graph.upstream(node)}


def test_a_click_lights_the_trail(show):
    view = show(REPORT)
    for claim in CLAIMS:
        view.select(claim)
        verdict = REPORT.verdict(claim)
        lit = told(view)
        assert expected(verdict) <= lit
        assert {node for node, role in lit if role in ("introduced", "carried", "evidence")} <= on_the_way(verdict)
        for role in ("introduced", "evidence"):
            assert {node for node, kind in lit if kind == role} == {n for n, kind in expected(verdict) if kind == role}
        for role in ROLES:
            assert drawn(view, role) == {node for node, kind in lit if kind == role}, role


def test_the_detail_says_all_that_is_known(show):
    view = show(REPORT)
    for claim in CLAIMS:
        view.select(claim)
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


def test_evidence_is_marked_in_its_place_and_in_sight(show):
    view = show(REPORT)
    for claim in (each for each in CLAIMS if REPORT.verdict(each).evidence):
        view.select(claim)
        verdict = REPORT.verdict(claim)
        for node in {item.node_id for item in verdict.evidence}:
            marks = view.page.locator(f'[data-node-text="{node}"] mark[data-evidence]')
            quotes = [item.quote for item in verdict.evidence if item.node_id == node]
            assert "".join(marks.all_inner_texts()) == "".join(sorted(quotes, key=REPORT.graph.node(node).text.index))
            assert marks.first.is_visible()
        others = {n.id for n in REPORT.graph.nodes} - {item.node_id for item in verdict.evidence}
        for node in others:
            assert view.page.locator(f'[data-node-text="{node}"] mark[data-evidence]').count() == 0


def test_the_graph_shows_every_node_and_edge_stage_by_stage(show):
    view = show(REPORT)
    shown = placed(view)
    assert set(shown) == {node.id for node in REPORT.graph.nodes}
    assert view.graph("cy.edges().length") == len(REPORT.graph.edges)
    stages = {node.stage for node in REPORT.graph.nodes}
    along = next(axis for axis in (0, 1) if len({round(at[axis]) for at in shown.values()}) == len(stages))
    for edge in REPORT.graph.edges:
        assert shown[edge.source][along] < shown[edge.target][along]
    box = view.page.locator("#graph").bounding_box()
    assert all(0 < x < box["width"] and 0 < y < box["height"] for x, y in shown.values())


def test_ten_thousand_nodes_open_by_step_and_a_claim_finds_its_way(show):
    report = layered()
    assert len(report.graph.nodes) > 10_000
    view = show(report)
    assert view.graph("cy.nodes().length") < 200
    view.select("c2")
    verdict = report.verdict("c2")
    lit = told(view)
    assert (verdict.introduced_at, "introduced") in lit
    assert (verdict.evidence[0].node_id, "evidence") in lit
    assert {(node, "carried") for node in verdict.carried_through if node != "answer"} <= lit
    for role in ("introduced", "evidence"):
        assert view.graph(f"cy.nodes('.{role}').length") == 1
    marks = view.page.locator('[data-node-text="n0.92"] mark[data-evidence]')
    assert marks.inner_text() == verdict.evidence[0].quote
