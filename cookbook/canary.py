"""The canary trap: does an app answer from its documents, or from what its model happens to know?

Simulated here: the model (`Played`, which gives a third of what it knows from memory, whatever it reads) and the search
(shared words). In your app replace `model` by a call of yours and `search` by your retriever; with LangChain or
LlamaIndex wrap the retriever instead, see docs/canary.md.

    pip install trail-callbacks
    python cookbook/canary.py
"""

import tempfile

from trail_callbacks.canary import Answered, Ask, Document, Translator, assess, corpus_of, make_probes, perturb, run
from trail_callbacks.canary.played import Played

TOWNS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper", "Larch", "Maple"]
PAGES = [
    Document(
        id=f"{town.lower()}.md",
        text=f"The ferry to {town} takes {41 + 7 * n} minutes. A ticket to {town} costs {13 + 3 * n} euros. "
        f"The museum of {town} was opened in {1871 + 9 * n}. The harbour of {town} has {112 + 23 * n} berths.",
    )
    for n, town in enumerate(TOWNS)
]


def search(question: str) -> list[str]:
    """Your retriever: the two pages that share most words with a question."""
    words = set(question.lower().strip("?").split())
    return sorted((page.text for page in PAGES), key=lambda text: -len(words & set(text.lower().split())))[:2]


def main() -> None:
    twin = perturb(corpus_of(PAGES), seed=3, kinds=["number", "date"])
    probes, skipped = make_probes(twin)
    translator = Translator(twin)
    model = Played(probes, leak=0.33, knows=0.9)
    by_id = {probe.id: probe for probe in probes}

    def app(ask: Ask) -> Answered:
        probe = by_id[ask.probe]  # only a played model needs it
        if ask.arm == "closed_book":
            return Answered(text=model.answer(probe, None))
        passages = [] if ask.arm == "empty" else search(ask.question)
        if ask.arm == "fictive":  # the same pages, as the twin has them
            passages = [text for each in passages if (text := translator.fictive(each))]
        return Answered(text=model.answer(probe, passages), passages=passages)

    edit = twin.edits[0]
    print(f"for example: {edit.real} became {edit.fictive}")
    print(f"asked: {probes[0].question}")
    with tempfile.TemporaryDirectory() as folder:
        found = run(probes, app, out=f"{folder}/run", skipped=skipped)
    results = assess(found)
    for name in ("follow", "leak", "leak_known", "right_closed_book"):
        print(f"{name}: {results.rate(name)}")
    print(results.precision)


if __name__ == "__main__":
    main()
