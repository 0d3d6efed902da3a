"""Hierarchical summary with a planted error: which of the steps introduced it?

Pages are summarised into notes, notes into chapters, chapters into an overview. Simulated here: the model; its summary
of chapter 2 turns "may be built" into "was built". The overview only repeats that, and the report says so. In your app
replace MODEL by your model, name your steps with `run_name`, and pass sources as documents, so that they count as
sources.

    pip install "trail-callbacks[langchain]"
    python cookbook/hierarchical_summary.py
"""

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import chain
from langchain_trail import trail

CHAPTERS = {
    "chapter 1": [
        Document("The bridge was opened in 1971. It has two decks.", metadata={"source": "page 1"}),
        Document("The bridge carries 12,000 cars a day.", metadata={"source": "page 2"}),
    ],
    "chapter 2": [
        Document("A third deck may be built by 2030, if the region pays.", metadata={"source": "page 3"}),
        Document("The towers of the bridge were painted in 2019.", metadata={"source": "page 4"}),
    ],
}
REPLIES = [  # in the order of the calls below
    "The bridge was opened in 1971 and has two decks.",
    "The bridge carries 12,000 cars a day.",
    "The bridge was opened in 1971, has two decks and carries 12,000 cars a day.",
    "A third deck may be built by 2030 if the region pays.",
    "The towers of the bridge were painted in 2019.",
    "A third deck was built by 2030. The towers of the bridge were painted in 2019.",  # the error
    "The bridge was opened in 1971. A third deck was built by 2030. The towers of the bridge were painted in 2019.",
]
MODEL = FakeListChatModel(responses=REPLIES)


def summarise(texts: list[str], step: str) -> str:
    prompt = "Summarise in a sentence or two:\n\n" + "\n\n".join(texts)
    return MODEL.invoke(prompt, {"run_name": step}).text


@chain
def overview(chapters: dict[str, list[Document]]) -> str:
    summaries = []
    for name, pages in chapters.items():
        notes = [summarise([page.page_content], f"notes on {page.metadata['source']}") for page in pages]
        summaries.append(summarise(notes, f"summary of {name}"))
    return summarise(summaries, "overview")


def main() -> None:
    with trail() as recording:
        overview.invoke(CHAPTERS)
    report = recording.report
    print(report, end="\n\n")
    for claim in report.unsupported:
        verdict = report.verdict(claim.id)
        if verdict.introduced_at:
            print(f"{claim.quote!r} was introduced at {report.graph.node(verdict.introduced_at).step!r}.")


if __name__ == "__main__":
    main()
