"""The loop of writing and judging drafts, carried out with and without an event loop."""

import asyncio

import pytest

from trail_callbacks import ProvenanceGraph
from trail_callbacks.guard import Checker, GuardSettings, acarry_out, carry_out, guard_answer

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
GOOD, BAD = "The lighthouse of Genoa is 77 metres tall.", "The lighthouse of Genoa is 99 metres tall."


def steps(drafts, sources=(FACT,)):
    written = []

    def revised(request, draft, text):
        written.append(text)
        return request + 1

    made = guard_answer(
        GuardSettings(judge="local"),
        0,
        graph_of=lambda request, draft: draft and (lambda: ProvenanceGraph.from_texts(draft, sources)),
        texts_of=lambda draft: [draft],
        revised=revised,
    )
    return made, lambda request: drafts[request], written


def test_the_loop_sync_and_async():
    async def write(request):
        return [BAD, GOOD][request]

    made, plain, feedback = steps([BAD, GOOD])
    for outcome in (
        carry_out(made, plain, Checker(GuardSettings(judge="local"))),
        asyncio.run(acarry_out(steps([BAD, GOOD])[0], write, Checker(GuardSettings(judge="local")))),
    ):
        assert (outcome.draft, outcome.action, outcome.attempts, outcome.rejected) == (GOOD, "pass", 2, 1)
    assert len(feedback) == 1
    skipped = carry_out(steps([None])[0], lambda request: None, Checker(GuardSettings(judge="local")))
    assert (skipped.action, skipped.report) == ("skip", None)


@pytest.mark.parametrize("kind", [StopIteration, KeyError, RuntimeError])
def test_what_the_app_raises_is_not_taken_for_an_end(kind):
    def write(request):
        raise kind("out of replies")

    with pytest.raises(kind):
        carry_out(steps([BAD])[0], write, Checker(GuardSettings(judge="local")))
