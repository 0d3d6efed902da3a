"""Does an app answer from its context or from its model's memory? Fictive data tells.

A corpus gets a fictive twin; questions about what differs are asked with the real context, with the fictive one, with
none, and of the model alone. An answer with the real value under the fictive context came from memory.

The public names are here. In the order of use: `read_corpus`, `perturb`, `make_probes`, `run`, `assess`.
"""

from typing import TYPE_CHECKING

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.probe import Origin, Probe
from trail_callbacks.canary.trial import (
    ARMS,
    OUTCOMES,
    Answered,
    App,
    Arm,
    ArmUnavailableError,
    Ask,
    Finding,
    How,
    Outcome,
    Policy,
    Run,
    Stated,
    Strategy,
    Trial,
)
from trail_callbacks.canary.twin import KINDS, SIZES, TAG, Edit, EditKind, Replacement, Size, Twin

if TYPE_CHECKING:
    from trail_callbacks.canary.files.corpora import corpus_of, read_corpus
    from trail_callbacks.canary.files.probes import read_probes, write_probes
    from trail_callbacks.canary.files.twins import load_twin, save_twin
    from trail_callbacks.canary.passages.translation import Translator
    from trail_callbacks.canary.perturbers.perturb import perturb
    from trail_callbacks.canary.questions.making import make_probes
    from trail_callbacks.canary.report.page import to_page
    from trail_callbacks.canary.report.results import Results, assess
    from trail_callbacks.canary.runs.journal import load_run
    from trail_callbacks.canary.runs.recurring import Watch, exposition
    from trail_callbacks.canary.runs.run import arun, run
    from trail_callbacks.canary.serving.exposure import exposed, switch_off
    from trail_callbacks.canary.serving.source import FictiveDataError, refuse_fictive
    from trail_callbacks.canary.statistics.comparing import compare
    from trail_callbacks.statistics.intervals import needed_for_bound, needed_for_difference

__all__ = [
    "ARMS",
    "KINDS",
    "OUTCOMES",
    "SIZES",
    "TAG",
    "Answered",
    "App",
    "Arm",
    "ArmUnavailableError",
    "Ask",
    "Corpus",
    "Document",
    "Edit",
    "EditKind",
    "FictiveDataError",
    "Finding",
    "How",
    "Origin",
    "Outcome",
    "Policy",
    "Probe",
    "Replacement",
    "Results",
    "Run",
    "Size",
    "Skipped",
    "Stated",
    "Strategy",
    "Translator",
    "Trial",
    "Twin",
    "Watch",
    "arun",
    "assess",
    "compare",
    "corpus_of",
    "exposed",
    "exposition",
    "load_run",
    "load_twin",
    "make_probes",
    "needed_for_bound",
    "needed_for_difference",
    "perturb",
    "read_corpus",
    "read_probes",
    "refuse_fictive",
    "run",
    "save_twin",
    "switch_off",
    "to_page",
    "write_probes",
]

_MODULES = {
    "trail_callbacks.canary.files.corpora": ("corpus_of", "read_corpus"),
    "trail_callbacks.canary.files.twins": ("load_twin", "save_twin"),
    "trail_callbacks.canary.files.probes": ("read_probes", "write_probes"),
    "trail_callbacks.canary.report.page": ("to_page",),
    "trail_callbacks.canary.passages.translation": ("Translator",),
    "trail_callbacks.canary.perturbers.perturb": ("perturb",),
    "trail_callbacks.canary.questions.making": ("make_probes",),
    "trail_callbacks.canary.report.results": ("Results", "assess"),
    "trail_callbacks.canary.runs.recurring": ("Watch", "exposition"),
    "trail_callbacks.canary.runs.run": ("arun", "run"),
    "trail_callbacks.canary.runs.journal": ("load_run",),
    "trail_callbacks.canary.serving.exposure": ("exposed", "switch_off"),
    "trail_callbacks.canary.serving.source": ("FictiveDataError", "refuse_fictive"),
    "trail_callbacks.canary.statistics.comparing": ("compare",),
    "trail_callbacks.statistics.intervals": ("needed_for_bound", "needed_for_difference"),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports on first use what does the work: the nouns alone are cheap."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the public names, those not yet imported too."""
    return sorted({*globals(), *__all__})
