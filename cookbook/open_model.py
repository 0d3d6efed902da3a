"""A small open model as judge, on your own machine: loaded once, then asked by several requests at a time.

No key is needed and no text leaves the machine. The model (419 MB) is downloaded by a command of its own; name another
one by its hub id, or the folder of a saved one. Nothing is simulated: answers and sources are texts.

    pip install "trail-callbacks[encoder]"
    trail encoder fetch FamiliarTools/HHEM-2.1-Open-onnx
    python cookbook/open_model.py
    python cookbook/open_model.py cross-encoder/nli-deberta-v3-small
"""

import asyncio
import sys

from trail_callbacks import EncoderJudge, Report, acheck

SOURCES = [
    "The ferry to Fern Island takes 40 minutes. It carries 120 passengers and no cars.",
    "The museum on Fern Island opens at 10 o'clock.",
]
ANSWERS = [
    "The ferry takes 40 minutes and carries 120 passengers.",
    "The ferry takes 53 minutes. It carries cars.",
    "The museum opens at 10 o'clock. It was founded by a sea captain.",
]


async def checked(judge: EncoderJudge) -> list[Report]:
    """Requests of a server: the event loop stays free, and the model is asked by one of them after the other."""
    return await asyncio.gather(*(acheck(answer, SOURCES, judge=judge) for answer in ANSWERS))


def main() -> None:
    judge = EncoderJudge(*sys.argv[1:2])
    judge.load()  # when the server starts, so that no user waits for it
    for report in asyncio.run(checked(judge)):
        for claim, verdict in zip(report.claims, report.verdicts, strict=True):
            print(verdict.support or f"undecided: {verdict.undecided}", "-", claim.quote)
            print("   ", verdict.rationale, *(repr(item.quote) for item in verdict.evidence))


if __name__ == "__main__":
    main()
