"""Measures the perturbers of names and wording: how much they propose, refuse and miss, and how long they take.

    python tests/benchmarks/canary_names.py --data /path/to/data [--sets ragtruth ...] [--kinds name ...] [--show 40]

Each set of passages is one corpus and each kind is asked alone. Prints one JSON line for each set and kind: proposals,
edits that the twin takes, refusals by reason, what is left of the changed facts in the twin (0 is right), and seconds a
megabyte. `left` is counted without the perturbers' own code: of names, every word of the corpus that begins with a
changed word; of wording, sentences that are still as they were; of removals, sentences with the value and half of the
words beside it. `--show N` prints N edits of each kind, drawn from all sets, to be read by a person.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter
from pathlib import Path

from trail_callbacks.canary import SIZES, Corpus, Document
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.perturbers import KINDS as TABLE
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.language.detect import language
from trail_callbacks.text import sentences

KINDS = ("name", "nonce", "negation", "modality", "unanswerable", "inconsistent")
FEW = 3  # letters of a word that is looked for
HALF = 0.5


def read(path):
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(row) for row in text.splitlines()]


SETS = {
    "ragtruth": lambda data: [row["source"] for row in read(data / "ragtruth_dev.jsonl.gz")],
    "everyday": lambda data: [text for row in read(data / "everyday_train.jsonl") for text in row["passages"]],
    "conflict": lambda data: [row["context"] for row in read(data / "knowledge_conflict.jsonl.gz")],
}


def corpus(texts):
    return Corpus([Document(f"d{i}", text) for i, text in enumerate(dict.fromkeys(texts))])


def words(text):
    return re.findall(r"[^\W\d_]+", text.casefold())


def said(text):
    return {word for word in words(text) if len(word) > FEW}


def forms(edit):
    return " ".join((edit.real, *(old for old, _ in edit.forms)))


def left_names(twin):
    """Words of the twin that begin with a changed word of a name, other than those that already did otherwise."""
    new = {word for edit in twin.edits for one in edit.replacements for word in words(one.new)}
    there = {word for document in twin.fictive for word in words(document.text)} - new
    gone = {word for edit in twin.edits for one in edit.replacements for word in words(one.old)}
    return sorted({f"{word} ({each})" for each in gone for word in there if word in {each, each + "s"}})


def left_wording(twin):
    folded = "\n".join(" ".join(document.text.casefold().split()) for document in twin.fictive)
    found = []
    for edit in twin.edits:
        for one in edit.replacements:
            whole = next(each for each in sentences(twin.real[one.document].text) if each.end > one.start)
            if " ".join(whole.text.casefold().split()) in folded:
                found.append(whole.text)
    return found


def left_removed(twin):
    there = [(each.text, said(each.text)) for document in twin.fictive for each in sentences(document.text)]
    found = []
    for edit in twin.edits:
        value = " ".join(edit.real.casefold().split())
        stated = re.compile(rf"(?<![\w.,]){re.escape(value)}(?!\w)")
        beside = said(edit.replacements[0].old) - set(words(value))
        for text, have in there:
            folded = " ".join(text.casefold().split())
            if stated.search(folded) and beside and len(beside & have) >= HALF * len(beside):
                found.append(f"{edit.real}: {text}")
    return found


def left_values(twin):
    """Documents of an inconsistent edit that still state the real value as it stood there."""
    return [
        f"{edit.real}: {one.old}"
        for edit in twin.edits
        for one in edit.replacements
        if re.search(rf"(?<!\w){re.escape(one.old)}(?!\w)", twin.fictive[one.document].text)
        and any(char.isalpha() for char in one.old)
    ]


LEFT = {
    "name": left_names, "nonce": left_names, "negation": left_wording, "modality": left_wording,
    "unanswerable": left_removed, "inconsistent": left_values,
}  # fmt: skip


def measured(name, texts, kind, seed):
    whole = corpus(texts)
    size = sum(len(document.text.encode()) for document in whole) / 1e6
    begin = time.perf_counter()
    proposed = list(TABLE[kind].propose(FactReading(whole), random.Random(f"{seed}:{kind}"), SIZES))  # noqa: S311 - no secret
    seconds = time.perf_counter() - begin
    twin = perturb(corpus(texts), seed=seed, kinds=[kind])
    refused = Counter(re.sub(r"'[^']*'", "'...'", each.why) for each in proposed if hasattr(each, "why"))
    left = LEFT[kind](twin)
    line = {
        "set": name, "kind": kind, "documents": len(whole), "megabytes": round(size, 3),
        "proposed": sum(not hasattr(each, "why") for each in proposed), "taken": len(twin.edits),
        "refused": dict(refused.most_common()), "left": len(left), "seconds_a_megabyte": round(seconds / size, 2),
    }  # fmt: skip
    print(json.dumps(line), flush=True)
    return twin, left


def shown(twin, edit):
    """An edit with the sentences around its first three places."""
    lines = [f"[{edit.size or '-'}] {edit.real!r} -> {edit.fictive!r}" + (f" / {edit.also!r}" if edit.also else "")]
    lines[0] += f"  ({len(edit.replacements)} places)"
    for one in edit.replacements[:3]:
        text = twin.real[one.document].text
        start, end = max(0, one.start - 90), one.end + 90
        context = f"{text[start : one.start]}[-{one.old}-]{{+{one.new}+}}{text[one.end : end]}"
        lines.append(f"    {one.document}: {' '.join(context.split())}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("TRAIL_DATA_DIR"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[kind for kind in KINDS if kind in TABLE])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--left", action="store_true", help="print what is left")
    options = parser.parse_args()
    if options.data is None or not Path(options.data).is_dir():
        parser.exit(message="skipped: --data or TRAIL_DATA_DIR has to name the folder of the data\n")
    language("Loads the model that tells languages apart, which is not measured.")
    for kind in options.kinds:
        edits = []
        for name in options.sets:
            twin, left = measured(name, SETS[name](Path(options.data)), kind, options.seed)
            edits += [(twin, edit) for edit in twin.edits]
            if options.left:
                print(*left[:20], sep="\n")
        for twin, edit in random.Random(options.seed).sample(edits, min(options.show, len(edits))):  # noqa: S311 - no secret
            print(shown(twin, edit))


if __name__ == "__main__":
    main()
