"""What `trail_callbacks.canary` offers: every name is there, and importing the package does not import the machinery."""

import subprocess
import sys

import pytest

import trail_callbacks.canary


@pytest.mark.parametrize("name", trail_callbacks.canary.__all__)
def test_every_public_name_can_be_imported_and_is_listed(name):
    assert getattr(trail_callbacks.canary, name) is not None
    assert name in dir(trail_callbacks.canary)


def test_modules_do_not_hide_functions_whatever_was_imported_first():
    code = (
        "import trail_callbacks.canary.perturbers.perturb, trail_callbacks.canary.runs.run, "
        "trail_callbacks.canary.statistics.comparing; "
        "from trail_callbacks.canary import assess, compare, perturb, run; "
        "assert all(map(callable, (assess, compare, perturb, run)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_nouns_alone_import_no_machinery():
    code = (
        "import sys, trail_callbacks.canary; "
        "print([name for name in sys.modules if name.startswith('trail_callbacks.canary.') and name.count('.') > 2])"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'perturbed'"):
        _ = trail_callbacks.canary.perturbed


def test_what_a_notebook_shows_of_a_large_value_is_short():
    document = trail_callbacks.canary.Document("a.md", "The ferry takes 40 minutes. " * 500)
    corpus = trail_callbacks.canary.corpus_of([document])
    twin = trail_callbacks.canary.perturb(corpus)
    assert repr(corpus) == "<Corpus documents=1 skipped=0>"
    assert repr(twin).startswith(f"<Twin {twin.id} seed=0 documents=1 edits=")
    assert len(repr(twin)) < 100
