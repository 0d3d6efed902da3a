import math
from dataclasses import replace
from itertools import product

import pytest

from trail_callbacks.statistics.intervals import difference
from trail_callbacks.statistics.rates import groups, holm, paired, sign_flip


def mcnemar(b, c):
    """Twice the binomial tail of the smaller number of discordant pairs."""
    n, k = b + c, min(b, c)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (1, 1), (0, 6), (3, 11), (40, 90), (500, 420)])
def test_one_probe_a_document_is_mcnemars_exact_test(b, c):
    less, more, either = sign_flip([-1] * b + [1] * c + [0] * 5)
    assert either == pytest.approx(mcnemar(b, c), rel=1e-9)
    assert (less > more) == (c > b) or b == c
    assert 0.0 < either <= 1.0


def test_clusters_are_flipped_whole():
    steps = [3, -1, 2, 2, 0, 1]
    sums = [
        sum(sign * abs(step) for sign, step in zip(signs, steps, strict=True)) for signs in product((1, -1), repeat=6)
    ]
    total = sum(steps)
    expected = sum(each >= total for each in sums) / len(sums)
    assert sign_flip(steps)[1] == pytest.approx(expected)
    assert sign_flip(steps)[0] == pytest.approx(sum(each <= total for each in sums) / len(sums))


def test_pairs_have_newcombes_interval():
    first = {f"p{n}": n < 12 for n in range(40)}
    second = {f"p{n}": n < 20 for n in range(40)}
    found = paired(first, second, {})
    assert (found.n, found.both, found.first, found.second) == (40, 12, 0, 8)
    assert (found.low, found.high) == difference(list(first.values()), list(second.values()), 40)
    assert found.p == pytest.approx(mcnemar(0, 8))


def test_only_common_probes_count():
    found = paired({"a": True, "b": False}, {"b": True, "c": True}, {})
    assert (found.n, found.second) == (1, 1)
    none = paired({"a": True}, {"b": True}, {})
    assert (none.n, none.difference, none.low, none.p) == (0, None, None, None)


def test_documents_of_several_probes_widen_limits_and_probability():
    first = {f"p{n}": False for n in range(200)}
    second = {f"p{n}": n < 40 for n in range(200)}
    apart = paired(first, second, {})
    together = paired(first, second, {f"p{n}": f"d{n // 10}" for n in range(200)})
    assert together.design > 4
    assert together.low < apart.low
    assert together.p == pytest.approx(mcnemar(0, 4))
    assert together.p > apart.p


def test_probes_of_few_documents_are_paired_as_independent():
    first = {f"p{n}": False for n in range(40)}
    second = {f"p{n}": n < 10 for n in range(40)}
    few = paired(first, second, {f"p{n}": f"d{n % 4}" for n in range(40)})
    assert few == replace(paired(first, second, {}), documents=4)


def test_holm_keeps_the_order_given():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([None, 0.01, 0.04]) == pytest.approx([None, 0.02, 0.04])
    assert holm([]) == []


def test_groups_hold_no_pair_that_is_apart_and_every_other_pair():
    assert groups(["best", "middle", "worst"], [("best", "worst")]) == [["best", "middle"], ["middle", "worst"]]
    assert groups([], []) == []
    names = "abcdefgh"
    apart = {("a", "e"), ("b", "e"), ("a", "h"), ("c", "h"), ("d", "f"), ("a", "b")}
    found = groups(names, sorted(apart))
    for pair in product(names, names):
        if pair[0] < pair[1]:
            assert any(set(pair) <= set(each) for each in found) == (pair not in apart)
