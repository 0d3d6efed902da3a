"use strict";
/* Draws the provenance graph. Python assigned each node its stage; dagre orders and places the nodes of a stage,
   Cytoscape draws them. Large graphs are drawn by step: a click opens a group, and nodes on the trail of the selected
   claim are always drawn individually. Labels are drawn on a canvas: no text becomes markup. */

function drawGraph(box, data, onNode) {
  const SINGLY = 80;    // nodes that may be drawn individually
  const READABLE = 0.75; // zoom; if the whole graph needs less, it is drawn by step
  const LARGEST = 1.1;
  const UNITS = 160;    // groups; more are merged by kind
  const BANDS = 40;     // columns; if there are more stages, several share one
  const OPENED = 60;    // nodes shown of an opened group
  const LINKS = 900;    // edges that take part in the layout
  const LOW = 0.38, LESS = 0.46, TALL = 0.64; // share of the window height: for a small graph, one with a trail, a deep one
  const WIDE = box.clientWidth < 500 ? 128 : 152, HIGH = 42, GAP = 14, BETWEEN = 64;

  const nodes = data.nodes.map(([title, id, kind, step, stage, entered, origin], number) =>
    ({ number, title, id, kind, step: data.steps[step], stage, entered, origin }));
  const stages = nodes.reduce((most, node) => Math.max(most, node.stage), 0) + 1;
  const perBand = Math.ceil(stages / BANDS);
  const opened = new Set();
  let groups = new Map(), layout = null, partly = false;
  let claim = null, drawn = { units: [], edges: [] };

  function grouped() {
    const by = (key) => {
      const found = new Map();
      for (const node of nodes) {
        const name = key(node);
        if (!found.has(name)) found.set(name, []);
        found.get(name).push(node);
      }
      return found;
    };
    const fine = by((node) => `${band(node)} ${node.kind} ${node.step}`);
    return fine.size <= UNITS ? fine : by((node) => `${band(node)} ${node.kind}`);
  }

  function band(node) {
    return Math.floor(node.stage / perBand);
  }

  /** What is drawn now: individual nodes and groups, and the links between them. */
  function view() {
    const alone = new Set(claim ? claim.stops.map(([number]) => number) : []);
    const unitOf = new Array(nodes.length), units = [];
    const single = (node) => {
      unitOf[node.number] = units.length;
      units.push({ id: `n${node.number}`, node, band: band(node), title: node.title, id2: node.id, kind: node.kind, entered: node.entered });
    };
    if (!groups.size) nodes.forEach(single);
    for (const [key, members] of groups) {
      const shown = new Set(opened.has(key) ? members.slice(0, OPENED) : []);
      const rest = members.filter((node) => !alone.has(node.number) && !shown.has(node));
      members.filter((node) => alone.has(node.number) || shown.has(node)).forEach(single);
      if (rest.length === 1) single(rest[0]);
      if (rest.length < 2) continue;
      const same = rest.every((node) => node.step === rest[0].step);
      const title = same ? rest[0].step : `${rest[0].kind.replace("_", " ")}s`;
      rest.forEach((node) => { unitOf[node.number] = units.length; });
      units.push({ id: `g${key}`, group: key, band: band(rest[0]), title, id2: `\u00d7 ${rest.length.toLocaleString("en")}`, kind: rest[0].kind,
        entered: rest.reduce((sum, node) => sum + node.entered, 0) });
    }
    const links = new Map();
    for (const [a, b, weak] of data.edges) {
      const from = unitOf[a], to = unitOf[b], key = from * units.length + to;
      if (from === to) continue;
      const link = links.get(key) || { from, to, weak: true, count: 0 };
      link.weak = link.weak && Boolean(weak);
      link.count += 1;
      links.set(key, link);
    }
    const lit = new Set((claim ? claim.edges : []).map(([a, b]) => unitOf[a] * units.length + unitOf[b]));
    return { units, edges: [...links].map(([key, link]) => ({ ...link, lit: lit.has(key) })) };
  }

  /** Places the units: columns from left to right, or rows from top to bottom. */
  function place({ units, edges }, across) {
    const graph = new dagre.graphlib.Graph();
    const bands = [...new Set(units.map((unit) => unit.band))].sort((a, b) => a - b);
    const rank = new Map(bands.map((each, i) => [each, 2 * i])); // dagre reserves every second rank for labels
    graph.setGraph({
      rankdir: across ? "LR" : "TB", nodesep: across ? GAP : 22, ranksep: across ? BETWEEN : 46, marginx: 12, marginy: 12,
      ranker: (g) => g.nodes().forEach((id) => { const unit = units[id]; g.node(id).rank = unit ? rank.get(unit.band) : 0; }),
    });
    graph.setDefaultEdgeLabel(() => ({}));
    units.forEach((unit, i) => graph.setNode(String(i), { width: WIDE, height: HIGH }));
    const span = (edge) => units[edge.to].band - units[edge.from].band;
    edges.filter((edge) => span(edge) > 0).sort((a, b) => span(a) - span(b)).slice(0, LINKS)
      .forEach((edge) => graph.setEdge(String(edge.from), String(edge.to)));
    dagre.layout(graph);
    const at = units.map((_, i) => graph.node(String(i)));
    const { width, height } = graph.graph();
    return { at, across, width, height, bends: (edge) => (graph.edge(String(edge.from), String(edge.to)) || { points: [] }).points };
  }

  function zoom({ width, height }) {
    return Math.min(box.clientWidth / width, (innerHeight * TALL) / height);
  }

  function best(content) {
    const across = place(content, true);
    if (content.units.length > SINGLY) return across;
    const down = place(content, false);
    return zoom(down) > zoom(across) * 1.15 ? down : across;
  }

  /** Control points, relative to the chord as Cytoscape expects, of a curve that leaves and arrives along the flow. */
  function curve(edge, layout) {
    const { at, across } = layout, from = at[edge.from], to = at[edge.to];
    const start = across ? { x: from.x + WIDE / 2, y: from.y } : { x: from.x, y: from.y + HIGH / 2 };
    const end = across ? { x: to.x - WIDE / 2, y: to.y } : { x: to.x, y: to.y - HIGH / 2 };
    const inner = layout.bends(edge).slice(1, -1).filter((_, i) => i % 2 === 1);
    const stops = [start, ...inner, end], points = [];
    for (let i = 0; i + 1 < stops.length; i++) {
      const a = stops[i], b = stops[i + 1];
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      points.push(across ? { x: middle.x, y: a.y } : { x: a.x, y: middle.y }, across ? { x: middle.x, y: b.y } : { x: b.x, y: middle.y });
    }
    const dx = end.x - start.x, dy = end.y - start.y, square = dx * dx + dy * dy || 1, length = Math.sqrt(square);
    return {
      weights: points.map(({ x, y }) => ((x - start.x) * dx + (y - start.y) * dy) / square),
      distances: points.map(({ x, y }) => ((y - start.y) * dx - (x - start.x) * dy) / length),
    };
  }

  const cy = cytoscape({
    container: box, elements: [], style: styles(), layout: { name: "preset" }, minZoom: 0.05, maxZoom: 3,
    userZoomingEnabled: false, boxSelectionEnabled: false, autoungrabify: true, selectionType: "single",
    textureOnViewport: nodes.length > 2000, pixelRatio: "auto",
  });

  function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    box.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function styles() {
    const c = Object.fromEntries(["ink", "soft", "line", "card", "paper", "accent", "glow", "supported", "supported-tint",
      "contradicted", "contradicted-tint", "undecided"].map((name) => [name, colour(name)]));
    const family = getComputedStyle(document.body).fontFamily;
    return [
      { selector: "node", style: { width: WIDE, height: HIGH, shape: "round-rectangle", "corner-radius": 7, "background-color": c.card,
        "border-width": 1.25, "border-color": c.soft, label: "data(label)", color: c.ink, "font-family": family, "font-size": 12,
        "text-valign": "center", "text-halign": "center", "text-wrap": "wrap", "text-max-width": WIDE - 14, "line-height": 1.25,
        "overlay-opacity": 0 } },
      { selector: "node.leaf", style: { "background-color": c.paper, "border-style": "solid", "corner-radius": 2 } },
      { selector: "node.prompt", style: { "border-style": "dashed" } },
      { selector: "node.answer", style: { "border-width": 2.5, "border-color": c.ink } },
      { selector: "node.group", style: { "border-style": "double", "border-width": 4 } },
      { selector: "node.guilty", style: { "border-width": 2.5, "border-color": c.contradicted } },
      { selector: "edge", style: { width: 1.25, "line-color": c.soft, opacity: 0.55, "target-arrow-shape": "triangle", "arrow-scale": 0.7,
        "target-arrow-color": c.soft, "curve-style": "unbundled-bezier", "edge-distances": "endpoints",
        "control-point-weights": "data(weights)", "control-point-distances": "data(distances)",
        "source-endpoint": "data(out)", "target-endpoint": "data(into)", "overlay-opacity": 0, events: "no" } },
      { selector: "edge.asked", style: { opacity: 0.25 } },
      { selector: "node.stage", style: { "background-opacity": 0, "border-width": 0, color: c.soft, "font-size": 12, events: "no" } },
      { selector: "edge.weak", style: { "line-style": "dashed" } },
      { selector: ".dim", style: { opacity: 0.4 } },
      { selector: "edge.dim", style: { opacity: 0.16 } },
      { selector: "node.found", style: { "background-color": c.glow } },
      { selector: "node.nearest", style: { "border-color": c.undecided, "border-style": "dashed", "border-width": 2 } },
      { selector: "node.evidence", style: { "border-color": c.accent, "border-width": 2.5, "background-color": c.glow } },
      { selector: "node.carried", style: { "border-color": c.contradicted, "background-color": c["contradicted-tint"] } },
      { selector: "node.introduced", style: { "border-color": c.contradicted, "border-width": 4, "background-color": c["contradicted-tint"], "font-weight": "bold" } },
      { selector: "node.held", style: { "border-color": c.supported, "background-color": c["supported-tint"] } },
      { selector: "edge.lit", style: { width: 2.75, opacity: 1, "line-color": c.ink, "target-arrow-color": c.ink, "z-index": 9 } },
      { selector: "node.here", style: { "outline-width": 3, "outline-color": c.accent, "outline-offset": 2 } },
    ];
  }

  const LEAF = new Set(["document", "tool_result"]), PROMPT = new Set(["question", "instruction"]);

  function classes(unit, roles) {
    const names = roles === undefined ? [] : roles.split(" ").filter(Boolean);
    if (LEAF.has(unit.kind)) names.push("leaf");
    if (PROMPT.has(unit.kind)) names.push("prompt");
    if (unit.kind === "answer") names.push("kind-answer");
    if (unit.group) names.push("group");
    if (!claim && unit.entered) names.push("guilty");
    if (claim && roles === undefined) names.push("dim");
    if (claim && claim.class === "supported" && names.includes("answer")) names.push("held");
    return names.map((name) => name === "kind-answer" ? "answer" : name);
  }

  const pen = document.createElement("canvas").getContext("2d");

  /** A text of one line, cut to the width of a box: letters of scripts and names differ in theirs. */
  function cutTo(text) {
    pen.font = `bold 12px ${getComputedStyle(document.body).fontFamily}`;
    const letters = [...text.slice(0, WIDE)], fits = (n) => pen.measureText(letters.slice(0, n).join("") + "\u2026").width <= WIDE - 14;
    if (pen.measureText(text.slice(0, WIDE)).width <= WIDE - 14) return text;
    while (!fits(letters.length)) letters.pop();
    return letters.join("") + "\u2026";
  }

  /** Two lines: the name; then the id, and whether claims were introduced here. */
  function label(unit, roles) {
    const cut = cutTo(unit.title), room = WIDE / 7.2;
    const entered = claim ? (roles || "").split(" ").includes("introduced") && "\u2691 introduced here"
      : unit.entered > 0 && `\u2691 ${unit.entered} introduced here`;
    const what = entered || (unit.group ? "" : unit.kind.replace("_", " "));
    const both = [...new Set([unit.id2, what])].filter((part) => part && part !== cut).join(" \u00b7 ");
    const below = both.length > room - 3 && what ? what : both;
    return below ? `${cut}\n${below}` : cut;
  }

  /** Redraws. Positions only change if groups were opened or closed. */
  function draw() {
    const content = view(), units = content.units.map((unit) => unit.id).join();
    const moved = units !== layout?.units;
    if (moved) layout = { ...best(content), units };
    const roles = new Map(claim ? claim.stops : []);
    drawn = content;
    const elements = content.units.map((unit, i) => {
      const role = unit.node && roles.has(unit.node.number) ? roles.get(unit.node.number) : undefined;
      return { group: "nodes", data: { id: unit.id, unit: i, label: label(unit, role) }, classes: classes(unit, role),
        position: { x: layout.at[i].x, y: layout.at[i].y } };
    });
    const ends = layout.across ? { out: "90deg", into: "270deg" } : { out: "180deg", into: "0deg" };
    content.edges.forEach((edge, i) => elements.push({ group: "edges",
      data: { id: `e${i}`, source: content.units[edge.from].id, target: content.units[edge.to].id, ...ends, ...curve(edge, layout) },
      classes: [edge.weak ? "weak" : "", PROMPT.has(content.units[edge.from].kind) ? "asked" : "", edge.lit ? "lit" : claim ? "dim" : ""].filter(Boolean) }));
    for (const [stage, position] of headings(content, layout)) {
      elements.push({ group: "nodes", data: { id: `s${stage}`, label: stage }, classes: "stage", position, selectable: false });
    }
    cy.batch(() => { cy.elements().remove(); cy.add(elements); });
    size();
    if (moved || partly) fit();
    box.dataset.zoom = cy.zoom().toFixed(2);
    box.dataset.shown = String(content.units.length);
    box.dataset.collapsed = String(content.units.some((unit) => unit.group));
  }

  /** Positions of the stage names: above each column, or before each row. */
  function headings(content, { at, across }) {
    const first = Math.min(...at.map(({ x, y }) => (across ? y : x)));
    const places = new Map();
    content.units.forEach((unit, i) => {
      const from = unit.band * perBand, to = Math.min(from + perBand, stages) - 1;
      places.set(from === to ? `stage ${from}` : `stages ${from} to ${to}`,
        across ? { x: at[i].x, y: first - HIGH / 2 - 20 } : { x: first - WIDE / 2 - 34, y: at[i].y });
    });
    return places;
  }

  /** Makes the box as high as the graph at its zoom, but no higher than needed for readable labels. */
  function size() {
    const wide = Math.max(READABLE, Math.min(box.clientWidth / (layout.width + 60), 1)), height = (layout.height + 50) * wide;
    const share = Math.max(LOW, Math.min(claim ? LESS : TALL, ((layout.height + 90) * READABLE) / innerHeight));
    box.style.height = `${Math.round(Math.min(Math.max(height, 200), innerHeight * share))}px`;
  }

  /** Shows everything, or, if that would be too small to read, what matters most; the rest by dragging. */
  function fit(first = cy.collection()) {
    cy.resize();
    cy.fit(undefined, 12);
    partly = cy.zoom() < READABLE;
    if (cy.zoom() > LARGEST) { cy.zoom(LARGEST); cy.center(); }
    if (!partly) return;
    const all = [first, claim ? cy.nodes().not(".dim, .stage") : cy.nodes(".guilty"), cy.nodes(".introduced"), cy.nodes(".answer")]
      .filter((nodes) => nodes.length);
    for (const nodes of all) {
      cy.fit(nodes, 30);
      if (cy.zoom() >= READABLE || nodes === all.at(-1)) {
        cy.zoom(Math.max(READABLE, Math.min(cy.zoom(), 1)));
        cy.center(nodes);
        fill();
        break;
      }
    }
  }

  /** Moves a graph that does not fit so that no part is cut off while there is an empty margin. */
  function fill() {
    const { x1, y1, x2, y2 } = cy.elements().renderedBoundingBox();
    const by = (from, to, room) => to - from <= room ? (room - from - to) / 2 : Math.min(-from, 0) + Math.max(room - to, 0);
    cy.panBy({ x: by(x1 - 12, x2 + 12, box.clientWidth), y: by(y1 - 12, y2 + 12, box.clientHeight) });
  }

  cy.on("tap", "node", (event) => {
    const unit = drawn.units[event.target.data("unit")];
    if (!unit) return;
    if (unit.node) { onNode(unit.node.number); return; }
    opened.add(unit.group);
    draw();
    fit(cy.nodes().filter((each) => groups.get(unit.group).includes(drawn.units[each.data("unit")]?.node)).slice(0, 6));
  });
  cy.on("mouseover", "node", (event) => {
    const node = drawn.units[event.target.data("unit")]?.node;
    box.style.cursor = "pointer";
    box.title = node ? [node.title, node.kind.replace("_", " "), node.origin].filter(Boolean).join(", ") : "";
  });
  cy.on("mouseout", "node", () => { box.style.cursor = ""; box.title = ""; });
  // The wheel scrolls the page; with ctrl, or a pinch on a touch pad, it zooms.
  box.addEventListener("wheel", (event) => {
    event.stopPropagation();
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const frame = box.getBoundingClientRect();
    cy.zoom({ level: cy.zoom() * Math.exp(-event.deltaY / 200), renderedPosition: { x: event.clientX - frame.left, y: event.clientY - frame.top } });
  }, { passive: false, capture: true });
  new ResizeObserver(() => { if (box.clientWidth) fit(); }).observe(box);

  if (nodes.length > SINGLY || zoom(best(view())) < READABLE) groups = grouped();
  draw();
  return {
    light(index) { claim = index === null ? null : data.claims[index]; draw(); },
    found(numbers) {
      const hit = new Set(numbers);
      cy.batch(() => cy.nodes().not(".stage").forEach((each) => { const { node } = drawn.units[each.data("unit")]; each.toggleClass("found", Boolean(node && hit.has(node.number))); }));
    },
    here(number) { cy.batch(() => { cy.nodes().removeClass("here"); if (number !== null) cy.getElementById(`n${number}`).addClass("here"); }); },
    zoom(factor) { cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: box.clientWidth / 2, y: box.clientHeight / 2 } }); },
    fold() { opened.clear(); draw(); fit(); },
    restyle() { cy.style(styles()); },
    collapsed: groups.size > 0,
  };
}
