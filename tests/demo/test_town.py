"""The town's texts are there, and its chunker loses nothing of them."""

from itertools import pairwise

import pytest

from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.questions.making import make_probes
from trail_callbacks.demo.town import town, windows


def test_the_town_is_thirty_pages_and_the_documents_of_its_harbour():
    found = town()
    assert len(found) == 33
    assert {each.id.rpartition(".")[2] for each in found} == {"html", "txt", "md"}


@pytest.mark.parametrize(("length", "overlap"), [(500, 100), (1000, 200), (50, 10)])
def test_windows_keep_their_length_and_share_their_borders(length, overlap):
    text = " ".join(f"word{n}" for n in range(400))
    cut = windows(text, length, overlap)
    assert all(len(each) <= length for each in cut)
    for one, other in pairwise(cut):
        shared = other.split()[0]
        assert shared in one.split()
        assert len(one) - one.index(shared) <= overlap


def test_the_town_gives_enough_to_ask_about_and_each_probe_is_of_its_page():
    twin = perturb(town())
    probes, _ = make_probes(twin)
    assert len(probes) > 200
    assert len({each.kind for each in probes}) >= 6
    lost = [each.id for each in probes if not holds(each, [twin.real[name].text for name in each.documents], "real")]
    assert len(lost) <= len(probes) // 50, lost
