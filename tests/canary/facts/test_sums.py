"""What follows from an edited number is worked out anew, or the edit is refused."""

import re

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def twin_of(text, seed):
    return perturb(Corpus([Document("a", text)]), seed=seed, kinds=["number"])


def numbers(text):
    return [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("It has 12 adults and 28 children, 40 passengers in total.", lambda a, b, t: a + b == t),
        ("- Adults: 14\n- Children: 33\n- Total: 47", lambda a, b, t: a + b == t),
        ("The 12 tickets cost 5 euros each, 60 euros in all.", lambda n, each, t: n * each == t),
        ("Of the 240 crews, 60 crews (25 %) were late.", lambda w, p, s: abs(100 * p / w - s) <= 0.51),
        ("| Port | Boats |\n|---|---|\n| A | 120 |\n| B | 200 |\n| Total | 320 |", lambda a, b, t: a + b == t),
        (
            "| A | 3 | 14 | 25 | 42 |\n|---|---|---|---|---|\n| B | 20 | 30 | 40 | 90 |",
            lambda *n: n[4] + n[5] + n[6] == n[7],
        ),
    ],
)
def test_what_follows_is_true_again(text, true):
    assert true(*numbers(text)), "the example itself"
    repaired = 0
    for seed in range(8):
        twin = twin_of(text, seed)
        after = twin.fictive["a"].text
        assert true(*numbers(after)), after
        repaired += any(edit.repairs for edit in twin.edits)
    assert repaired


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The route is 40 km (25 miles) long.", "stands again in brackets"),
        ("He lived there from 1990 to 1995, five years.", "dates beside it"),
        ("| Port | Share |\n|---|---|\n| A | 30 % |\n| B | 50 % |\n| C | 20 % |", "column of shares"),
        ("She sold 60 % to him and 40 % to her.", "make 100 %"),
        ("It has 12 adults and 28 children, 40 passengers in total.", "follows from numbers beside it"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_the_reason(text, why):
    twin = twin_of(text, 0)
    assert any(why in each.why for each in twin.skipped), twin.skipped
