"""Localisation on generated graphs: exactness and calls, compared with a walk that reads one layer in each call.

    python tests/benchmarks/localisation_shapes.py

The judge is `LLMJudge` over a model that knows the truth (see `planted_oracle.py`), so any error is due to the walk or the
choice of passages. `linear_calls` is counted on the true graph: one call for each layer from the answer back to the
first in which nothing states the error. Prints one JSON line for each shape and size.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from statistics import mean

from gold_runs import Fact, Run
from planted_oracle import OracleModel

from trail_callbacks import Edge, LLMJudge, Node, ProvenanceGraph, verify

NAMES = (
    "Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Gorse", "Hazel", "Iris", "Juniper", "Kelp", "Larch",
    "Maple", "Nettle", "Oak", "Pine", "Quince", "Rowan", "Sedge", "Thyme", "Umber", "Violet", "Willow", "Yarrow",
)  # fmt: skip
WORDINGS = (
    "The {name} pump was replaced in {year}.",
    "In {year} a new pump was put in at {name}.",
    "{name} has had another pump since {year}.",
    "What pumps the water at {name} dates from {year}.",
)
FILLING = (
    "Note {i} covers the {name} hall and the yard behind it.", "The {name} gate is opened at {n} minutes past six.",
    "Nobody counted the crates near {name} in week {n}.", "A pump of {name} was painted, number {n} of the list.",
    "Team {n} keeps the keys of the {name} store.", "The road to {name} is {n} kilometres long.",
)  # fmt: skip
SENTENCES = 25  # of a text at most, besides errors


class Sketch:
    """A graph under construction: nodes with their inputs and the statements that each makes, with wordings."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - made-up text, no secret
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.said: dict[str, list[str]] = defaultdict(list)
        self.facts: list[Fact] = []

    def node(self, id_: str, *inputs: str) -> None:
        self.inputs[id_] = inputs

    def fault(self, nodes: list[str], *, reworded: bool = False, through: list[str] | None = None) -> None:
        """A statement that some nodes make; it reached the answer `through` those, by default all of them."""
        name, year = self.chance.choice(NAMES), self.chance.randint(1950, 2020)
        texts = [WORDINGS[i % len(WORDINGS) if reworded else 0].format(name=name, year=year) for i in range(len(nodes))]
        claim = texts[nodes.index("answer")]
        words = tuple((claim, node, text) for node, text in zip(nodes, texts, strict=True))
        self._add(claim, through or nodes, words, also=frozenset(nodes) - frozenset(through or nodes))

    def double(self, first: list[str], second: list[str]) -> None:
        """One claim with two errors that were introduced at different nodes."""
        name, year = self.chance.choice(NAMES), self.chance.randint(1950, 2020)
        parts = (f"The {name} pump was replaced in {year}.", f"The {name} pump cost {year * 3} crowns.")
        whole = f"The {name} pump was replaced in {year} and cost {year * 3} crowns."
        both = list(zip(parts, (first, second), strict=True))
        words = [(part, node, part) for part, nodes in both for node in nodes if node != "answer"]
        words.append((whole, "answer", whole))
        self._add(whole, first, tuple(words), faults=tuple((part, frozenset(nodes)) for part, nodes in both))

    def fused(self, left: str, right: str, nodes: list[str]) -> None:
        """A claim in which a node fused what two others say about different things."""
        one, other = self.chance.sample(NAMES, 2)
        year = self.chance.randint(1950, 2020)
        self.said[left].append(f"The {one} pump leaked for a week.")
        self.said[right].append(f"The {other} pump was replaced in {year}.")
        whole = f"The {one} pump leaked for a week and was replaced in {year}."
        self._add(whole, nodes, tuple((whole, node, whole) for node in nodes))

    def _add(self, text: str, nodes: list[str], words: tuple[tuple[str, str, str], ...], **others) -> None:
        for _, node, sentence in words:
            self.said[node].append(sentence)
        self.facts.append(
            Fact(
                id=f"c{len(self.facts) + 1}", text=text, quote=text, support="absent", error_type="other",
                introduced_at=nodes[0], carried_through=tuple(nodes[1:]), words=words, **others,
            )
        )  # fmt: skip

    def run(self, shape: str) -> Run:
        nodes, edges = [], []
        for i, (id_, inputs) in enumerate(self.inputs.items()):
            kind = "answer" if id_ == "answer" else "completion" if inputs else "document"
            own = [
                self.chance.choice(FILLING).format(i=i, name=self.chance.choice(NAMES), n=self.chance.randint(2, 99))
                for _ in range(SENTENCES)
            ]
            for text in self.said[id_]:
                own.insert(self.chance.randint(0, len(own)), text)
            nodes.append(Node(id=id_, kind=kind, text=" ".join(dict.fromkeys(own)), step=id_))
            edges += [Edge(source=source, target=id_) for source in inputs]
        graph = ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
        return Run(id=shape, graph=graph, facts=tuple(self.facts), shape=shape)


def chain(seed: int, steps: int, places: list[int], *, reworded: bool = False) -> Run:
    """The node at index `steps` is the answer."""
    sketch, names = Sketch(seed), [*(f"s{i}" for i in range(steps)), "answer"]
    sketch.node("source")
    for before, name in zip(["source", *names], names, strict=False):
        sketch.node(name, before)
    for place in places:
        sketch.fault(names[place:], reworded=reworded)
    return sketch.run("chain")


def corrected(seed: int, steps: int, mended: int, again: int) -> Run:
    """An error that is introduced, corrected at one step, and introduced again later, which is the entry step."""
    sketch, names = Sketch(seed), [*(f"s{i}" for i in range(steps)), "answer"]
    sketch.node("source")
    for before, name in zip(["source", *names], names, strict=False):
        sketch.node(name, before)
    sketch.fault([*names[1:mended], *names[again:]], through=names[again:])
    return sketch.run("corrected")


def two_faults(seed: int, steps: int, first: int, second: int) -> Run:
    sketch, names = Sketch(seed), [*(f"s{i}" for i in range(steps)), "answer"]
    sketch.node("source")
    for before, name in zip(["source", *names], names, strict=False):
        sketch.node(name, before)
    sketch.double(names[first:], names[second:])
    return sketch.run("two faults")


def map_reduce(seed: int, width: int, at: int, *, fuse: bool = False) -> Run:
    sketch = Sketch(seed)
    for i in range(width):
        sketch.node(f"d{i}")
        sketch.node(f"m{i}", f"d{i}")
    sketch.node("merge", *(f"m{i}" for i in range(width)))
    sketch.node("answer", "merge")
    if fuse:
        sketch.fused(f"m{at}", f"m{(at + 1) % width}", ["merge", "answer"])
    else:
        sketch.fault([f"m{at}", "merge", "answer"])
    return sketch.run("map-reduce")


def diamond(seed: int, both: bool) -> Run:
    sketch = Sketch(seed)
    sketch.node("source")
    for id_, inputs in {"a": ["source"], "b": ["a"], "c": ["a"], "d": ["b", "c"], "answer": ["d"]}.items():
        sketch.node(id_, *inputs)
    sketch.fault(["a", "b", *(["c"] if both else []), "d", "answer"])
    return sketch.run("diamond")


def tangle(seed: int, size: int) -> Run:
    """A random graph: every node has one to three inputs and repeats the error of an input or leaves it out."""
    sketch = Sketch(seed)
    sketch.node("source")
    names = [*(f"n{i}" for i in range(size)), "answer"]
    inputs = {name: sketch.chance.sample(names[max(0, i - 6) : i] or ["source"], 1) for i, name in enumerate(names)}
    for i, name in enumerate(names[2:], 2):
        inputs[name] = sorted({*inputs[name], *sketch.chance.choices(names[max(0, i - 6) : i], k=2)}, key=names.index)
    for name, given in inputs.items():
        sketch.node(name, *given)
    way = ["answer"]  # one chain back from the answer always keeps the error
    while way[-1] != "source" and (len(way) < 3 or sketch.chance.random() > 3 / size):
        way.append(sketch.chance.choice(inputs[way[-1]]))
    way = [name for name in way if name != "source"]
    states = {way[-1]}
    for name in names[names.index(way[-1]) + 1 :]:
        if states & {*inputs[name]} and (name in way or sketch.chance.random() > 0.4):
            states.add(name)
    reached = ["answer"]
    for name in reached:
        reached += [given for given in inputs[name] if given in states and given not in reached]
    sketch.fault(sorted(states, key=names.index), through=sorted(reached, key=names.index))
    return sketch.run("tangle")


def shapes() -> Iterator[tuple[str, int, list[Run]]]:
    for steps in (3, 5, 10, 20, 40):
        places = sorted({0, 1, steps // 3, steps // 2, steps - 1, steps})
        yield "chain", steps, [chain(seed, steps, [place]) for place in places for seed in range(3)]
        yield (
            "chain, reworded downstream", steps,
            [chain(seed, steps, [place], reworded=True) for place in places for seed in range(3)],
        )  # fmt: skip
        spread = [i * steps // 8 for i in range(8)]
        yield "chain, eight faulty claims", steps, [chain(seed, steps, spread) for seed in range(3)]
    for steps in (4, 10, 40):
        yield "corrected, back in the answer", steps, [corrected(seed, steps, steps - 1, steps) for seed in range(5)]
        yield (
            "corrected for one step only", steps,
            [corrected(seed, steps, place, place + 1) for seed, place in enumerate(range(2, steps - 1))],
        )  # fmt: skip
        yield "two faults in one claim", steps, [two_faults(seed, steps, 0, steps // 2) for seed in range(5)]
    for width in (2, 5, 10, 20, 60):
        yield "map-reduce", width, [map_reduce(seed, width, seed % width) for seed in range(5)]
        yield "merged from two nodes", width, [map_reduce(seed, width, seed % width, fuse=True) for seed in range(5)]
    for size in (10, 25, 50):
        yield "graph by chance", size, [tangle(seed, size) for seed in range(30)]
    yield "diamond, one branch", 4, [diamond(seed, both=False) for seed in range(5)]
    yield "diamond, both branches", 4, [diamond(seed, both=True) for seed in range(5)]


def linear(run: Run) -> int:
    """Layers that a walk reads from the answer to the first in which nothing states any of the errors."""
    layers = 0
    below = {part: {"answer"} for fact in run.facts for part in (fact.faults or ((fact.text, fact.states),))}
    while True:
        above = {
            part: {n.id for id_ in ids for n in run.graph.inputs(id_) if n.kind == "completion"}
            for part, ids in below.items()
        }
        if not any(above.values()):
            return layers
        layers += 1
        below = {part: ids & part[1] for part, ids in above.items()}


def main() -> None:
    for shape, size, runs in shapes():
        right = path = total = 0
        calls, walked, tokens, misses = [], [], [], []
        for run in runs:
            model = OracleModel(run)
            report = verify(run.graph, LLMJudge(model))
            verdicts = {claim.text: report.verdict(claim.id) for claim in report.claims}
            for fact in run.facts:
                verdict = verdicts[fact.text]
                total += 1
                right += verdict.introduced_at == fact.introduced_at
                path += (verdict.introduced_at, {*verdict.carried_through}) == (
                    fact.introduced_at, {*fact.carried_through},
                )  # fmt: skip
            misses += model.misses
            tally = model.tallies.get("localize")
            calls.append(tally.calls if tally else 0)
            tokens.append(tally.prompt if tally else 0)
            walked.append(linear(run))
        line = {
            "benchmark": "localisation_shapes", "shape": shape, "size": size, "runs": len(runs), "claims": total,
            "introduced_at": f"{right}/{total}", "path": f"{path}/{total}", "localize_calls": round(mean(calls), 2),
            "most_calls": max(calls), "linear_calls": round(mean(walked), 2), "prompt_tokens": round(mean(tokens)),
            "misses": sorted({what for what, _ in misses}),
        }  # fmt: skip
        print(json.dumps(line))


if __name__ == "__main__":
    main()
