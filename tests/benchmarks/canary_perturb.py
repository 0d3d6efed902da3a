"""What the perturber does to a corpus: `python tests/benchmarks/canary_perturb.py`. One JSON line a measurement.

On 200 pages generated here every mention of every fact is known, and every total, share and interval: after the edits all
mentions of a fact have to say the same, and all that follows has to be true. Beside it, on the same pages: `naive`, which
halves every number by a pattern, as in published canary traps. On passages of `TRAIL_DATA_DIR` (skipped where it is
unset) there is no such truth; there, mentions are compared within documents.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from labelled_sets import rows

from trail_callbacks.canary import Corpus, Document, Twin
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.twin import EditKind
from trail_callbacks.language.values import quantities
from trail_callbacks.language.values.writing import in_words

PAGES = 200
KINDS: tuple[EditKind, ...] = ("number", "date", "unit", "order")
WORDS = {in_words(n): n for n in range(1, 3000)}
UNITS = {
    "minutes": "min",
    "min": "min",
    "hours": "h",
    "h": "h",
    "seconds": "s",
    "s": "s",
    "km": "km",
    "kilometres": "km",
}
UNITS |= {"mi": "mi", "miles": "mi", "euros": "eur", "dollars": "usd", "%": "%", "percent": "%"}


@dataclass
class Slot:
    """A mention of a fact: where it stands in the real text of a page."""

    fact: str
    page: int
    start: int
    end: int


@dataclass
class Truth:
    """Pages with the mentions in them, and what follows from what: slots by number."""

    texts: list[str] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    relations: list[tuple[str, int, tuple[int, ...]]] = field(default_factory=list)
    kept: list[tuple[int, int, int]] = field(default_factory=list)  # identifiers: page and span

    def page(self, template: str, values: dict[str, str], fact: Callable[[str], str]) -> dict[str, int]:
        """Adds a page: `{{name}}` is a mention, `{{=name}}` an identifier; returns the numbers of its slots by name."""
        parts, at, made, length = [], 0, {}, 0
        for mark in re.finditer(r"\{\{(=?)([^}]+)\}\}", template):
            before = template[at : mark.start()]
            word = values[mark[2]]
            parts += [before, word]
            length += len(before)
            if mark[1]:
                self.kept.append((len(self.texts), length, length + len(word)))
            else:
                made[mark[2]] = len(self.slots)
                self.slots.append(Slot(fact(mark[2]), len(self.texts), length, length + len(word)))
            length += len(word)
            at = mark.end()
        self.texts.append("".join((*parts, template[at:])))
        return made


MAIN = """# {town} ferry

The ferry to {town} takes {{{{minutes.a}}}} and the route is {{{{km.a}}}} long. A single ticket to {town} costs {{{{price.a}}}}.
See section {{{{=section}}}} of https://ferry.example/{{{{=link}}}} or call {{{{=phone}}}}; the timetable is version {{{{=version}}}}.

On an ordinary day {{{{adults}}}} adults and {{{{children}}}} children travel, {{{{total}}}} passengers in total; {{{{adults.b}}}} of the
{{{{total.b}}}} passengers ({{{{share}}}}) are adults. The line was opened in {{{{opened}}}} and rebuilt in {{{{rebuilt}}}},
{{{{apart}}}} years later.

| Harbour of {town} | Boats |
|---|---|
| North quay | {{{{north}}}} |
| South quay | {{{{south}}}} |
| Old dock | {{{{dock}}}} |
| Total | {{{{boats}}}} |

```
wait({{{{=code}}}})
```
"""
NOTICE = """Notice for passengers to {town}: the crossing takes {{{{minutes.b}}}} ({{{{minutes.c}}}} in the timetable), and the
{town} route measures {{{{km.b}}}}. Tickets to {town} are {{{{price.b}}}} each. The {town} line has run since {{{{opened.b}}}}.
"""
HTML = """<html><body><h1>{town}</h1><p class="c{{{{=css}}}}">The crossing to {town}: {{{{minutes.d}}}}.</p>
<table><tr><th>Month at {town}</th><th>Cargo</th></tr><tr><td>May</td><td>{{{{may}}}}</td></tr><tr><td>June</td>
<td>{{{{june}}}}</td></tr><tr><td>July</td><td>{{{{july}}}}</td></tr><tr><td>Total</td><td>{{{{cargo}}}}</td></tr></table></body></html>
"""


def generated(seed: int = 3) -> Truth:
    """The pages, one more than `PAGES`: a third each of prose with a table, notices about the same facts, and HTML."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    truth = Truth()
    towns: dict[str, None] = {}
    while len(towns) < -(-PAGES // 3):
        ends = ("holm", "vik", "sund", "ness")
        towns[
            "".join(rng.choice("BDFGKLMNPRSTV") + rng.choice("aeiou") for _ in range(3)).title() + rng.choice(ends)
        ] = None
    for town in towns:
        minutes, km, price = rng.randint(21, 95), rng.randint(6, 90), rng.randint(4, 60)
        adults, children = rng.randint(30, 400), rng.randint(20, 300)
        opened, apart = rng.randint(1890, 1980), rng.randint(5, 40)
        boats = [rng.randint(12, 300) for _ in range(3)]
        cargo = [rng.randint(1000, 9000) for _ in range(3)]
        values = {
            "minutes.a": f"{minutes} minutes", "minutes.b": f"{in_words(minutes)} minutes", "minutes.c": f"{minutes} min",
            "minutes.d": f"{minutes} min", "km.a": f"{km} km", "km.b": f"{in_words(km)} kilometres",
            "price.a": f"{price} euros", "price.b": f"{in_words(price)} euros", "adults": str(adults),
            "children": str(children), "total": str(adults + children), "adults.b": str(adults),
            "total.b": str(adults + children), "share": f"{100 * adults / (adults + children):.0f} %",
            "opened": str(opened), "opened.b": str(opened), "rebuilt": str(opened + apart), "apart": str(apart),
            "north": str(boats[0]), "south": str(boats[1]), "dock": str(boats[2]), "boats": str(sum(boats)),
            "may": f"{cargo[0]:,}", "june": f"{cargo[1]:,}", "july": f"{cargo[2]:,}", "cargo": f"{sum(cargo):,}",
            "section": f"{rng.randint(2, 9)}.{rng.randint(1, 30)}", "link": str(rng.randint(100, 999)),
            "phone": f"+49 30 {rng.randint(1000000, 9999999)}", "version": f"{rng.randint(1, 9)}.{rng.randint(10, 40)}.2",
            "code": str(rng.randint(30, 90)), "css": str(rng.randint(10, 99)),
        }  # fmt: skip

        def fact(name: str, town: str = town) -> str:
            return f"{town} {name.partition('.')[0]}"

        made = truth.page(MAIN.format(town=town), values, fact)
        truth.page(NOTICE.format(town=town), values, fact)
        page = truth.page(HTML.format(town=town), values, fact)
        truth.relations += [
            ("sum", made["total"], (made["adults"], made["children"])),
            ("share", made["share"], (made["adults.b"], made["total.b"])),
            ("apart", made["apart"], (made["opened"], made["rebuilt"])),
            ("sum", made["boats"], (made["north"], made["south"], made["dock"])),
            ("sum", page["cargo"], (page["may"], page["june"], page["july"])),
        ]
    return truth


def said(words: str) -> tuple[float, str]:
    """Number and unit of a mention, read without the engine."""
    found = re.match(r"([\d,.]+|[a-z-]+(?: (?:hundred|thousand|and|[a-z-]+))*?)(?: ([^\W\d]+|%))?$", words.strip())
    if found is None:
        return float("nan"), words
    number = found[1].replace(",", "")
    value = float(number) if number[0].isdigit() else float(WORDS.get(found[1], -1))
    return value, UNITS.get(found[2] or "", found[2] or "")


def after(texts: Sequence[str], places: dict[int, list[tuple[int, int, str]]], slot: Slot) -> str:
    """What stands in the place of a mention."""
    parts, at = [], slot.start
    for start, end, new in sorted(places.get(slot.page, [])):
        if end <= slot.start or start >= slot.end:
            continue
        parts += [texts[slot.page][at:start], new]
        at = end
    return "".join((*parts, texts[slot.page][at : max(at, slot.end)]))


def judged(truth: Truth, places: dict[int, list[tuple[int, int, str]]]) -> dict[str, object]:
    """Consistency of mentions and truth of what follows, after edits."""
    now = [after(truth.texts, places, slot) for slot in truth.slots]
    before = [truth.texts[slot.page][slot.start : slot.end] for slot in truth.slots]
    facts: dict[str, list[int]] = defaultdict(list)
    for i, slot in enumerate(truth.slots):
        facts[slot.fact].append(i)
    repeated = {fact: those for fact, those in facts.items() if len(those) > 1}
    changed = {fact: those for fact, those in repeated.items() if any(now[i] != before[i] for i in those)}
    agree = [len({said(now[i]) for i in those}) == 1 for those in changed.values()]
    held: Counter[str] = Counter()
    touched: Counter[str] = Counter()
    for rule, result, parts in truth.relations:
        if any(now[i] != before[i] for i in (result, *parts)):
            touched[rule] += 1
            value, given = said(now[result])[0], [said(now[i])[0] for i in parts]
            made = {"sum": sum(given), "share": round(100 * given[0] / (given[1] or 1)), "apart": given[-1] - given[0]}[
                rule
            ]
            held[rule] += abs(made - value) < (1 if rule == "share" else 1e-6)
    broken = sum(any(start < b and a < end for start, end, _ in places.get(page, [])) for page, a, b in truth.kept)
    return {
        "facts_with_several_mentions": len(repeated),
        "of_these_changed": len(changed),
        "consistent": round(sum(agree) / max(1, len(agree)), 4),
        "relations_touched": dict(touched),
        "of_these_true": {rule: round(held[rule] / n, 4) for rule, n in touched.items()},
        "identifiers_changed": f"{broken} of {len(truth.kept)}",
    }


def corpus_of(texts: Sequence[str]) -> Corpus:
    return Corpus([Document(str(i), text) for i, text in enumerate(texts)])


def of_twin(twin: Twin) -> dict[int, list[tuple[int, int, str]]]:
    places: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for edit in twin.edits:
        for each in edit.replacements:
            places[int(each.document)].append((each.start, each.end, each.new))
    return places


def naive(texts: Sequence[str]) -> dict[int, list[tuple[int, int, str]]]:
    """Every number halved by a pattern."""
    places = {}
    for i, text in enumerate(texts):
        found = list(re.finditer(r"\d+(?:[.,]\d+)*", text))
        halves = [
            str(round(float(re.sub(r"[.,](?=.*[.,])|,", "", each[0])) / 2, 1)).removesuffix(".0") for each in found
        ]
        places[i] = [(*each.span(), half) for each, half in zip(found, halves, strict=True)]
    return places


def collided(twin: Twin) -> int:
    """Number and unit edits whose fictive value stands in a real document; of bare numbers, in one that is edited."""
    there: dict[tuple[str, float, str], set[str]] = defaultdict(set)
    for document in twin.real:
        for q in quantities(document.text):
            there[q.kind, q.value, q.noun].add(document.id)
    found = 0
    for edit in twin.edits:
        if edit.kind in {"number", "unit"}:
            own = {each.document for each in edit.replacements}
            for q in quantities(edit.fictive or ""):
                others = there.get((q.kind, q.value, q.noun), set())
                found += bool(others if q.kind != "count" or q.noun else others & own)
    return found


def left(twin: Twin) -> int:
    """Number edits of which the same words still stand in one of the documents that they change, outside of code."""
    found = 0
    for edit in twin.edits:
        if edit.kind == "number" and re.search(r"[^\W\d]{3}", edit.real):
            pattern = re.compile(rf"(?<![\w.,-]){re.escape(edit.real)}(?!\w)")
            found += any(pattern.search(twin.fictive[each.document].text) for each in edit.replacements)
    return found


def reasons(twin: Twin) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for each in twin.skipped:
        more = re.match(r"(\d+) more$", each.place)
        counted[each.why] += int(more[1]) if more else 1
    return dict(counted.most_common(12))


def digest(twin: Twin) -> str:
    made = [
        twin.id,
        [asdict(edit) for edit in twin.edits],
        [each.text for each in twin.fictive],
        list(map(str, twin.skipped)),
    ]
    return hashlib.sha256(json.dumps(made).encode("utf-8", "surrogatepass")).hexdigest()


def data() -> Iterator[tuple[str, list[str]]]:
    if "TRAIL_DATA_DIR" not in os.environ:
        print("no TRAIL_DATA_DIR: only generated pages", file=sys.stderr)
        return
    folder = Path(os.environ["TRAIL_DATA_DIR"])
    yield "ragtruth", list(dict.fromkeys(row["source"] for row in rows(folder / "ragtruth_dev.jsonl.gz")))
    yield (
        "everyday",
        list(dict.fromkeys(each for row in rows(folder / "everyday_train.jsonl") for each in row["passages"])),
    )
    yield (
        "knowledge_conflict",
        list(dict.fromkeys(row["context"] for row in rows(folder / "knowledge_conflict.jsonl.gz"))),
    )


def measured(name: str, texts: Sequence[str]) -> Twin:
    corpus = corpus_of(texts)
    perturb(corpus_of(texts[:3]), kinds=KINDS)  # loads what is loaded at first use
    began = time.process_time()
    twin = perturb(corpus, kinds=KINDS)
    seconds = time.process_time() - began
    size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
    emit(
        corpus=name,
        documents=len(texts),
        megabytes=round(size, 3),
        seconds_a_megabyte=round(seconds / size, 2),
        edits=dict(Counter(edit.kind for edit in twin.edits)),
        sizes=dict(Counter(str(edit.size) for edit in twin.edits)),
        with_repairs=sum(bool(edit.repairs) and edit.kind == "number" for edit in twin.edits),
        documents_without_edit=len(
            {d.id for d in twin.real} - {r.document for e in twin.edits for r in e.replacements}
        ),
        collisions=collided(twin),
        left_in_a_changed_document=left(twin),
    )
    emit(corpus=name, refused=reasons(twin))
    return twin


def emit(**line: object) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def main() -> None:
    truth = generated()
    if sys.argv[1:] == ["digest"]:
        print(digest(perturb(corpus_of(truth.texts), kinds=KINDS, seed=5)))
        return
    twin = measured("generated", truth.texts)
    emit(corpus="generated", method="perturb", **judged(truth, of_twin(twin)))
    emit(corpus="generated", method="naive", **judged(truth, naive(truth.texts)))
    made = set()
    for seed in ("0", "1", "77"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, __file__, "digest"]
        made.add(subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout)
    emit(corpus="generated", processes=3, different_twins=len(made))
    for name, texts in data():
        measured(name, texts)


if __name__ == "__main__":
    main()
