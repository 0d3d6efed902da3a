"""Whether a probe can tell anything: answerable from its passage, and not from its own question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import isclose
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.twin import Twin
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import EXACT, quantities

LONGEST: Final = 600
"""Characters of a question; nobody asks a longer one."""
POLAR: Final = vocabulary("yes no ja nein oui non sí si não sim nee да нет tak nie")
"""Answers to questions that are answered with yes or no, case-folded."""

_VALUE: Final = 500  # characters of a value that is searched for word by word
_COMMON: Final = frozenset({"count", "month", "day", "weekday"})  # without a noun they are somewhere in every text
_SPACED: Final = re.compile("[^\\W\u0e00-\u0e7f\u3040-\U0010ffff]")  # letters and digits of scripts with spaces
_SLACK: Final = (1e-9, 0.0)  # by which two values may differ; in exact kinds not at all
_LETTER: Final = re.compile(r"\w")


def problem(probe: Probe, twin: Twin | None = None) -> str | None:  # noqa: PLR0911 - one exit a reason
    """Says why a probe cannot be used; None if it can. Without a twin, only what the probe says itself is checked."""
    question = probe.question.strip()
    if not _LETTER.search(question):
        return "has no question"
    if len(question) > LONGEST:
        return f"its question is longer than {LONGEST} characters"
    answers = [each for each in (probe.real, probe.fictive, probe.also) if each is not None]
    if not all(_LETTER.search(each) for each in answers):
        return "one of its answers is empty"
    folded = [_folded(each) for each in answers]
    if len(set(folded)) < len(folded):
        return f"two of its answers are the same: {answers[0]!r}"
    if shared := {*map(_folded, probe.real_forms), folded[0]} & {*map(_folded, probe.fictive_forms), *folded[1:]}:
        return f"{min(shared)!r} stands for its real and for its fictive answer"
    for each in (*answers, *probe.real_forms, *probe.fictive_forms):
        if _folded(each) not in POLAR and names(question, each):
            return f"its question names an answer: {each!r}"
    return _ungrounded(probe, twin)


def usable(probes: Iterable[Probe]) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Leaves out what cannot be used, with the reason, and what repeats another probe: it would count twice."""
    kept: dict[tuple[str, ...], Probe] = {}
    skipped: list[Skipped] = []
    for each in probes:
        said = (each.question, each.real, each.fictive or "", each.also or "")
        why = problem(each)
        first = kept.setdefault(tuple(map(_folded, said)), each) if why is None else each
        if why is not None or first is not each:
            skipped.append(Skipped(each.id, why or f"asks the same as {first.id}"))
    return tuple(kept.values()), tuple(skipped)


def names(text: str, value: str) -> bool:
    """Tells whether a text has a value in it: its words as whole words, or the same quantity written otherwise."""
    wanted, have = _folded(value), _folded(text)
    if not wanted or len(wanted) > _VALUE:
        return bool(wanted) and wanted in have
    at = have.find(wanted)
    while at >= 0:  # by hand, since a pattern for each value costs more than its search
        before, after = have[max(0, at - 1) : at], have[at + len(wanted) : at + len(wanted) + 1]
        if not any(_SPACED.match(a) and _SPACED.match(b) for a, b in ((before, wanted[0]), (wanted[-1], after))):
            return True
        at = have.find(wanted, at + 1)
    return _same_quantity(text, value)


def _same_quantity(text: str, value: str) -> bool:
    """Whether a text has the quantity that a value is: of several, as those of a date, all of them."""
    wanted = quantities(value)
    if not wanted or (len(wanted) == 1 and wanted[0].kind in _COMMON and not wanted[0].noun):
        return False
    have = [(each.kind, each.noun, each.value) for each in quantities(text)]
    return all(
        any(
            (one.kind, one.noun) == (kind, noun) and isclose(one.value, value, rel_tol=_SLACK[kind in EXACT])
            for kind, noun, value in have
        )
        for one in wanted
    )


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").split())


def _ungrounded(probe: Probe, twin: Twin | None) -> str | None:
    """What is wrong with the passages of a probe; without a twin its quotes are all there is."""
    if twin is not None and probe.edit is not None and all(each.id != probe.edit for each in twin.edits):
        return f"its edit {probe.edit} is none of this twin"
    why = _unstated("corpus", twin.real if twin else None, probe, probe.real_quote, (probe.real, *probe.real_forms))
    if probe.fictive is not None and why is None:
        values = (probe.fictive, *probe.fictive_forms)
        why = _unstated("twin", twin.fictive if twin else None, probe, probe.fictive_quote, values)
    if why or twin is None:
        return why
    if probe.fictive is None:
        left = probe.real_quote and any(probe.real_quote in each.text for each in twin.fictive)
        return "the fact was not removed from the twin" if left else None
    both = _folded(probe.real) in POLAR or probe.kind == "order"  # of an order both values stand in both passages
    if not both and probe.fictive_quote and names(probe.fictive_quote, probe.real):
        return f"its passage in the twin still gives the real answer {probe.real!r}"
    return None


def _unstated(which: str, corpus: Corpus | None, probe: Probe, quote: str, values: Sequence[str]) -> str | None:
    """Why a corpus, or a quote of it, does not state one of some values."""
    texts = [quote] if quote else []
    if corpus is not None:
        if gone := [each for each in probe.documents if each not in corpus]:
            return f"its passage is gone: the {which} has no document {gone[0]!r}"
        documents = [corpus[each].text for each in probe.documents] or [each.text for each in corpus]
        if quote and not any(quote in text for text in documents):
            return f"its passage is gone: no document of the {which} has the words {quote[:60]!r}"
        texts = texts or documents
    given = not texts or _folded(values[0]) in POLAR or any(names(text, each) for text in texts for each in values)
    return None if given else f"its passage in the {which} does not give the answer {values[0]!r}"
