"""Whether a cascade that a bench chose reaches on other answers what it was chosen for: docs/bench.md has the figures.

    python tests/benchmarks/cascades.py

Simulated: half of the answers have one or two wrong sentences; a screen decides a tenth of the sentences and is right,
an encoder has noisy scores, a model finds 92 % of what is wrong and flags 2 % of what is right.
"""

from random import Random

from trail_callbacks.bench import Bench, Judged, Label, Labelled, Reading, Said, cascades, chosen
from trail_callbacks.models.call import Usage

WANTED = (0.9, 0.8)
CALL = Usage(calls=1, prompt_tokens=1500, completion_tokens=300)


def flag(wrong):
    return "contradicted" if wrong else "supported"


def said(wrong, random):
    """What the three say of a sentence."""
    score = 1 / (1 + 2.718 ** -random.gauss(-1.5 if wrong else 1.5, 1.2))
    model = random.random() < (0.92 if wrong else 0.02)
    screen = flag(wrong) if random.random() < 0.1 else "undecided"
    encoder = Said(outcome="undecided" if 0.4 < score < 0.6 else flag(score < 0.5), score=score)
    return Said(outcome=screen), encoder, Said(outcome=flag(model))


def bench(answers, random):
    labels, read = [], ([], [], [])
    for n in range(answers):
        sentences = [False] * random.randint(2, 6)
        for place in random.sample(range(len(sentences)), random.randint(1, 2) if n % 2 else 0):
            sentences[place] = True
        labels.append(Labelled(id=f"a{n}", labels=tuple(Label(wrong=each) for each in sentences)))
        for place, each in enumerate(zip(*(said(wrong, random) for wrong in sentences), strict=True)):
            read[place].append(
                Reading(answer=f"a{n}", round=1, said=each, usage=CALL if place == 2 else Usage(seconds=1.0 + place))
            )
    names = ("screen", "encoder", "model")
    judges = [
        Judged(judge=j, name=j, readings=tuple(r), abstains=j != "model") for j, r in zip(names, read, strict=True)
    ]
    return Bench(data="simulated", digest="", answers=tuple(labels), judges=tuple(judges))


def flags(stages, sentence):
    """Whether a cascade flags a sentence."""
    by = dict(zip(("screen", "encoder", "model"), sentence, strict=True))
    for judge, band in stages:
        if band is None and by[judge].outcome != "undecided":
            return by[judge].outcome == "contradicted"
        if band is not None and not band[0] < by[judge].score < band[1]:
            return by[judge].score < band[1]
    return False


def main():
    random = Random(1)  # noqa: S311 - no secret
    others = [(wrong, said(wrong, random)) for wrong in random.choices((True, False), (18, 82), k=20_000)]
    for answers in (60, 200):
        reached, lower, runs = 0, [], 80
        for seed in range(runs):
            choice = chosen(cascades(bench(answers, Random(seed)), *WANTED))  # noqa: S311
            if choice is None:
                continue
            told = [(wrong, flags(choice.stages, each)) for wrong, each in others]
            hits = sum(wrong and flagged for wrong, flagged in told)
            found = hits / sum(flagged for _, flagged in told), hits / sum(wrong for wrong, _ in told)
            reached += all(a >= b for a, b in zip(found, WANTED, strict=True))
            lower.append((choice.precision.value - found[0], choice.recall.value - found[1]))
        means = [round(sum(each) / len(each), 3) for each in zip(*lower, strict=True)]
        print(f"{answers} answers: chosen in {len(lower)} of {runs}, reached in {reached}; said too high by {means}")


if __name__ == "__main__":
    main()
