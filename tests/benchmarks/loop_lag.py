"""How long an event loop waits for its turn while `acheck` works: milliseconds between turns of a task that sleeps 1 ms."""

import asyncio
import time

from trail_callbacks import acheck

_FERRY = "The ferry to Skogholm takes 40 minutes. "
CASES = {
    "short answer": lambda share: ("The ferry takes 53 minutes.", [_FERRY]),
    "200 KB of short sentences": lambda share: ("It is 5. " * int(22_000 * share), ["It is 5. " * 100]),
    "20,000 claims": lambda share: (
        "".join(f"Boat {i} takes {i % 60} minutes. " for i in range(int(20_000 * share))),
        ["The boat takes 40 minutes. " * 100],
    ),
    "4 MB of sentences": lambda share: (
        "The ferry takes 53 minutes.",
        ["".join(f"The ferry {i} to Skogholm takes 40 minutes. " for i in range(int(90_000 * share)))],
    ),
    "4 MB of rows": lambda share: ("The ferry takes 53 minutes.", ["| a | 1 |\n" * int(400_000 * share)]),
    "4 MB of broken JSON": lambda share: ("The ferry takes 53 minutes.", ["[1, " * int(1_000_000 * share)]),
    "4 MB without a break": lambda share: ("The ferry takes 53 minutes.", ["a" * int(4_000_000 * share)]),
}
"""By name: answer and sources, of a share of the full size."""


async def gaps(work):
    """Seconds between turns of a task that sleeps for a millisecond, while work is done; in order of length."""
    found, done = [], asyncio.Event()

    async def tick():
        last = time.perf_counter()
        while not done.is_set():
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            found.append(now - last)
            last = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.005)
    await work
    await asyncio.sleep(0.002)
    done.set()
    await ticking
    return sorted(found)


async def main():
    await acheck("It leaves at nine.", ["It leaves at ten."])
    for name, case in CASES.items():
        answer, sources = case(1.0)
        began = time.perf_counter()
        found = [1000 * gap for gap in await gaps(acheck(answer, sources, "When does it leave?"))]
        whole = time.perf_counter() - began
        late = sum(gap for gap in found if gap > 20) / 10 / whole
        median, high = found[len(found) // 2], found[int(len(found) * 0.99)]
        print(
            f"{name:28} {whole:6.1f} s  median {median:5.1f} ms  99 % {high:6.1f} ms  "
            f"longest {found[-1]:6.1f} ms  {late:4.1f} % of the time in gaps above 20 ms"
        )


if __name__ == "__main__":
    asyncio.run(main())
