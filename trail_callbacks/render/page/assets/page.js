"use strict";
/* Selecting, filtering, searching. All text is already in the page; this only shows, hides, copies and marks it. */

(() => {
  const root = document.documentElement;
  const by = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };

  const data = JSON.parse(by("data").textContent);
  const place = new Map(data.claims.map((claim, index) => [claim.key, index]));
  const named = (element) => element.dataset.claim.split(" ").map((key) => place.get(key));
  const list = by("claims");
  const detail = by("detail"), trail = by("trail"), texts = by("texts"), search = by("search");
  const marks = all("#answer mark").map((element) => ({ element, claims: named(element) }));
  const articles = new Map(all("article.text").map((element) => [Number(element.dataset.number), element]));
  const options = list ? [...list.children].map(optioned) : [];
  let selected = null, shown = options.map(() => true), everything = false, here = null, graph = null;

  /** Turns an open `details` into an option of the list; its body stays for printing. */
  function optioned(item, index) {
    const details = item.firstElementChild, row = document.createElement("div");
    row.className = "row";
    row.append(...details.firstElementChild.childNodes);
    item.replaceChildren(row, details.lastElementChild);
    item.id = `option-${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    const said = item.cloneNode(true);
    for (const around of all("blockquote .faint", said)) around.remove(); // the search covers the evidence, not its context
    return { element: item, row, body: item.lastElementChild, words: said.textContent.toLowerCase() };
  }

  if (list) {
    list.setAttribute("role", "listbox");
    list.tabIndex = 0;
  }

  /** Selects a claim, or none (null). */
  function select(index, from = "") {
    if (selected !== null) options[selected].element.setAttribute("aria-selected", "false");
    selected = index;
    here = null;
    root.toggleAttribute("data-selected", index !== null);
    for (const { element, claims } of marks) element.classList.toggle("lit", index !== null && claims.includes(index));
    detail.replaceChildren();
    trail.replaceChildren();
    by("hint").hidden = index !== null || !options.length;
    by("clear").hidden = by("back").hidden = index === null;
    by("chosen-title").textContent = index === null ? "Trail" : "Trail of ";
    if (index !== null) by("chosen-title").append(make("b", "", data.claims[index].key));
    if (index === null) {
      delete detail.dataset.claim;
      list?.removeAttribute("aria-activedescendant");
      history.replaceState(null, "", location.pathname + location.search);
    } else {
      const { element, row, body } = options[index];
      element.setAttribute("aria-selected", "true");
      list.setAttribute("aria-activedescendant", element.id);
      detail.dataset.claim = data.claims[index].key;
      describe(index, row, body.cloneNode(true));
      const hash = `#claim=${encodeURIComponent(data.claims[index].key)}`;
      if (location.hash !== hash && from !== "start") history.replaceState(null, "", hash);
      by("status").textContent = `${element.dataset.claim}: ${row.querySelector(".kind").textContent}`;
      // Clicks do not scroll; keys also scroll to the claim in the answer.
      const mark = marks.find(({ claims }) => claims.includes(index))?.element;
      if (from === "keys" || from === "hash") reveal(mark || element);
    }
    graph?.light(index);
    showTexts();
    if (index !== null && from !== "hash" && from !== "start") reveal(detail.querySelector(".badge"));
    if (index !== null && from === "keys") reveal(options[index].element); // last, so that the selected item of the list stays visible
  }

  function describe(index, row, body) {
    const top = make("p", "top", "");
    top.dataset.class = data.claims[index].class;
    top.append(make("span", "badge", `${row.querySelector(".sign").textContent} ${row.querySelector(".kind").textContent}`));
    const quote = make("p", "quote", row.querySelector(".said").textContent);
    quote.dir = "auto";
    const way = body.querySelector(".trail");
    if (way) trail.append(way);
    trail.querySelectorAll("li").forEach((item, i) => {
      item.tabIndex = 0;
      item.addEventListener("click", () => open(data.claims[index].stops[i][0]));
      item.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.stopPropagation(); open(data.claims[index].stops[i][0]); } });
    });
    detail.append(top, quote, body);
  }

  /** Scrolls no more than needed, and instantly: the next scroll would cut a smooth one short. */
  function reveal(element) {
    element?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** Creates the element of a text that has none yet: no claim cites it, and there are very many texts. */
  function written(number) {
    if (articles.has(number) || !data.texts[number]) return;
    const [title, kind, id, text, left] = data.texts[number];
    const article = make("article", "text", ""), head = make("h3", "", ""), frame = make("div", "verbatim", text);
    head.append(make("bdi", "", title), " ", make("span", "kind", kind));
    frame.dir = "auto";
    frame.tabIndex = 0;
    frame.dataset.nodeText = id;
    if (left) frame.append(" ", make("span", "gap", `${left.toLocaleString("en")} characters left out`));
    article.append(head, frame);
    articles.set(number, article);
    texts.append(article);
  }

  /** The first marked place in each visible text. */
  function firsts(places, framed) {
    const found = new Map();
    for (const place of places) {
      const frame = framed(place);
      if (frame && !found.has(frame) && !frame.parentElement.hidden) found.set(frame, place);
    }
    return found;
  }

  /** Scrolls each text to its place; measures everything before it scrolls anything. */
  function show(found) {
    [...found].map(([frame, place]) => {
      const top = place.getBoundingClientRect().top - frame.getBoundingClientRect().top;
      return [frame, frame.scrollTop + top - frame.clientHeight / 3];
    }).forEach(([frame, top]) => { frame.scrollTop = top; });
  }

  /** Shows the texts on the trail, or one that was opened, or those that the search found, or all. */
  function showTexts() {
    const claim = selected === null ? null : data.claims[selected];
    const telling = new Set(claim ? claim.stops.filter(([, roles]) => /evidence|nearest|introduced/.test(roles)).map(([number]) => number) : []);
    const found = claim || !search.value.trim() ? [] : matching();
    const wanted = everything ? null : here !== null ? new Set([here]) : claim ? telling : new Set(found.slice(0, 30));
    wanted?.forEach(written);
    for (const [number, article] of articles) {
      article.hidden = wanted !== null && !wanted.has(number);
      article.classList.toggle("here", number === here);
    }
    for (const stage of all(".stage, #more", texts)) stage.hidden = !everything;
    for (const mark of all(".verbatim mark", texts)) {
      const mine = claim !== null && mark.dataset.claim.split(" ").includes(claim.key);
      const roles = mark.dataset.relation.split(" ");
      const role = ["contradicts", "supports", "nearest"].find((each) => roles.includes(each));
      if (mine && role) mark.dataset.evidence = role; else delete mark.dataset.evidence;
      mark.classList.toggle("stated", mine && !role);
    }
    show(firsts(all(".verbatim mark[data-evidence], .verbatim mark.stated", texts), (mark) => mark.closest(".verbatim")));
    by("nothing").hidden = !(wanted && !wanted.size);
    by("texts-title").textContent = everything ? "All texts"
      : here !== null ? "Text" : claim ? "In place" : found.length ? `Texts with these words: ${found.length.toLocaleString("en")}` : "Texts";
    by("all").setAttribute("aria-pressed", String(everything));
    root.toggleAttribute("data-everything", everything); // so that they are printed too
    graph?.here(here);
    graph?.found(found);
    highlight();
  }

  function open(number) {
    here = number;
    written(number);
    const article = articles.get(number);
    if (!article) { reveal(by("answer")); here = null; }
    everything = false;
    showTexts();
    reveal(article);
  }

  function matching() {
    const words = search.value.trim().toLowerCase();
    const found = [...articles].filter(([, article]) => article.textContent.toLowerCase().includes(words)).map(([number]) => number);
    const stored = Object.entries(data.texts).filter(([, [title, , , text]]) => `${title} ${text}`.toLowerCase().includes(words));
    return [...new Set([...found, ...stored.map(([number]) => Number(number))])];
  }

  function checked(name) {
    return new Set(all(`input[name="${name}"]:checked`).map((input) => input.value));
  }

  function filter() {
    const classes = checked("class"), types = checked("type"), words = search.value.trim().toLowerCase();
    shown = options.map(({ element, words: own }) =>
      (!classes.size || classes.has(element.dataset.class)) && (!types.size || types.has(element.dataset.type)) && own.includes(words));
    options.forEach(({ element }, index) => { element.hidden = !shown[index]; });
    for (const { element, claims } of marks) element.classList.toggle("off", !claims.some((index) => shown[index]));
    const left = shown.filter(Boolean).length, narrowed = classes.size || types.size || words;
    by("count").textContent = narrowed ? `${left} of ${options.length} claims` : `${options.length} claim${options.length === 1 ? "" : "s"}`;
    by("reset").hidden = !narrowed;
    by("empty").hidden = left > 0 || !options.length;
    by("empty").textContent = left || !options.length ? "" : "No claim matches. \u201cShow all\u201d brings them back.";
    if (selected !== null && !shown[selected]) select(null);
    else showTexts();
  }

  /** Highlights search results without changing the text, if the browser supports it. */
  function highlight() {
    if (!CSS.highlights) return;
    const words = search.value.trim().toLowerCase(), ranges = [];
    CSS.highlights.delete("search");
    if (words.length < 2) return;
    const places = [by("answer"), ...options.filter((_, i) => shown[i]).map(({ row }) => row), detail,
      ...[...articles.values()].filter((article) => !article.hidden)];
    for (const within of places) {
      const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < 1000) {
        const text = walker.currentNode.data.toLowerCase();
        for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
          if (at + words.length > walker.currentNode.length) break;
          const range = new Range();
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + words.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("search", new Highlight(...ranges));
    if (selected === null) show(firsts(ranges, (range) => range.startContainer.parentElement.closest(".verbatim")));
  }

  function move(by_) {
    const left = options.map((_, index) => index).filter((index) => shown[index]);
    if (!left.length) return;
    const at = left.indexOf(selected);
    const next = at < 0 ? (by_ > 0 ? 0 : left.length - 1) : Math.min(Math.max(at + by_, 0), left.length - 1);
    select(left[next], "keys");
  }

  function fromHash() {
    const found = /^#claim=(.*)$/.exec(location.hash);
    let key = null;
    try { key = found && decodeURIComponent(found[1]); } catch { key = null; } // a broken escape in the address
    if (place.has(key)) select(place.get(key), "hash");
    return place.has(key);
  }

  function theme() {
    return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  function themed() {
    by("theme").textContent = theme() === "dark" ? "Light" : "Dark";
    by("graph").dataset.drawn = theme();
    graph?.restyle();
  }

  list?.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]");
    if (item) { select(options.findIndex(({ element }) => element === item), "list"); arrive(); }
  });
  by("answer").addEventListener("click", (event) => {
    const hit = event.target.closest("mark");
    if (!hit) return;
    const claims = named(hit), at = claims.indexOf(selected); // clicking a segment of several claims again selects the next one
    select(claims[(at + 1) % claims.length], "answer");
    arrive();
  });
  /** In the one-column layout the details are further down. */
  function arrive() {
    if (matchMedia("(max-width: 820px)").matches) by("chosen").scrollIntoView({ block: "start" });
  }
  search.addEventListener("input", filter);
  for (const input of all(".charts input")) input.addEventListener("change", filter);
  by("reset").addEventListener("click", () => {
    search.value = "";
    for (const input of all(".charts input")) input.checked = false;
    filter();
  });
  by("clear").addEventListener("click", () => select(null));
  by("back").addEventListener("click", () => by("answer").scrollIntoView({ block: "start" }));
  by("all").addEventListener("click", () => { everything = !everything; here = null; showTexts(); });
  by("theme").addEventListener("click", () => { root.dataset.theme = theme() === "dark" ? "light" : "dark"; themed(); });
  by("keys").addEventListener("click", () => by("help").showModal());
  by("closer").addEventListener("click", () => graph?.zoom(1.3));
  by("farther").addEventListener("click", () => graph?.zoom(1 / 1.3));
  by("fit").addEventListener("click", () => graph?.fold());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);
  addEventListener("hashchange", fromHash);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || by("help").open) return;
    const typing = event.target === search, control = event.target.closest?.("button, input, summary, .verbatim, #trail li");
    if (event.key === "Escape") {
      if (typing && search.value) { search.value = ""; filter(); }
      else if (typing) search.blur();
      else if (selected !== null) select(null);
      return;
    }
    if (typing) {
      if (event.key === "Enter" || event.key === "ArrowDown") { search.blur(); move(1); event.preventDefault(); }
      return;
    }
    const arrows = !control && (selected !== null || event.target === list);
    const done = {
      j: () => move(1), k: () => move(-1),
      ArrowDown: arrows && (() => move(1)), ArrowUp: arrows && (() => move(-1)),
      Enter: !control && (() => { if (selected === null) move(1); else detail.focus(); }),
      "/": () => { search.focus(); search.select(); },
      "?": () => by("help").showModal(),
    }[event.key];
    if (done) { event.preventDefault(); done(); }
  });

  const box = by("graph");
  if (data.nodes.length > 1) graph = drawGraph(box, data, open);
  else box.append(make("p", "missing", "There is no graph: the report has no text except the answer."));
  by("caption").textContent = graph?.collapsed
    ? `${data.nodes.length.toLocaleString("en")} texts, grouped by step: click a group to open it. Dashed: only known to have been in reach.`
    : "Sources first, the answer last. Dashed lines: only known to have been in reach. Click a text to read it.";
  if (!options.length) {
    everything = true;
    by("list").hidden = by("chosen").hidden = by("all").hidden = true;
  }
  themed();
  filter();
  const wrong = data.claims.findIndex((claim) => ["contradicted", "absent", "partially_supported"].includes(claim.class));
  if (!fromHash()) select(wrong < 0 ? null : wrong, "start"); // what there is to look at; the page stays where it is
  root.dataset.ready = "true";
})();
