"""A module's tests stand where its path says: those of `trail_callbacks/report/verdict.py` in `tests/report/test_verdict.py`.

This is asked of what other rooms use. A part that only its own room uses is tested through the room, or beside it.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "display": "tests/render/test_terminal.py",
    "errors": "tests/cli/test_app.py",  # and wherever one is raised
    "node": "tests/test_graph.py",
    "taxonomy": "tests/test_readme.py",
    "canary.arm": "tests/langchain_trail/test_canary_application.py",  # what apps are asked, and answer
    "canary.corpus": "tests/canary/files/test_reading.py",
    "canary.trial": "tests/canary/statistics/test_measures.py",
    "canary.twin": "tests/langchain_trail/test_canary.py",
    "capture.conversation": "tests/capture/test_build.py",
    "capture.declared": "tests/langchain_trail/test_sources.py",
    "capture.filter_decisions": "tests/langchain_trail/test_context_filter.py",
    "capture.identity": "tests/capture/test_build.py",
    "capture.keys": "tests/trace/test_context.py",
    "capture.runs": "tests/capture/test_build.py",
    # A whole app at work
    "demo.chat": "tests/cli/test_stage.py",
    "demo.documents": "tests/cli/test_stage.py",
    "demo.runner": "tests/cli/test_stage.py",
    "langchain_trail.demo": "tests/cli/test_stage.py",
    "llama_index_trail.demo": "tests/cli/test_stage.py",
    "langchain_trail.selfcheck": "tests/cli/test_doctor.py",
    "llama_index_trail.selfcheck": "tests/cli/test_doctor.py",
    # Reached by one way only, which is the test's subject
    "work.askers": "tests/canary/runs/test_run.py",
    "models.lane": "tests/session/test_waiting.py",  # work off the path of apps, audits and guards
    "judges.surveyor": "tests/judges/llm/test_survey.py",  # a protocol
    "judges.one_pass": "tests/verify/test_one_pass.py",  # a protocol
    "judges.tracer": "tests/verify/test_veritrail.py",  # a protocol
    "verify.audit": "tests/verify/test_pipeline.py",
    "report.evaluation": "tests/export/test_evaluations.py",  # the form of a record
    "report.evaluations": "tests/export/test_evaluations.py",
    "report.pytest_file": "tests/export/test_pytest_file.py",
    "render.columns": "tests/render/test_diagram.py",
    "render.comparison": "tests/comparison/test_comparison.py",
    "trace.codec": "tests/trace/test_stored.py",
    "retrieval.ranking": "tests/test_evidence.py",
    "retrieval.tables": "tests/retrieval/test_passages.py",
}
"""Where else the tests of a module are."""


def modules():
    """Paths of all modules, by name: of the engine without the package's own, of an adapter with it."""
    for folder in (ROOT / "trail_callbacks", ROOT / "integrations"):
        for path in folder.rglob("*.py"):
            if path.stem != "__main__":
                yield ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"), path


MODULES = dict(modules())


def room(name):
    """The package in which a module is; a module of the engine that is in none is a room by itself."""
    return name.split(".")[0]


def imported(path):
    """Names of modules that a module imports, and of what it takes from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = node.module.removeprefix("trail_callbacks.")
            yield from (module, *(f"{module}.{each.name}" for each in node.names))


IMPORTED = {name: set(imported(path)) for name, path in MODULES.items()}


def users(name):
    return {user for user, names in IMPORTED.items() if user != name and name in names}


def expected(name):
    *rooms, module = name.split(".")
    return ROOT.joinpath("tests", *rooms, f"test_{module}.py")


def missing():
    """Where tests were looked for, and for whom."""
    for name in sorted(name for name, path in MODULES.items() if path.stem != "__init__"):
        rooms = {room(user) for user in users(name)}
        if name not in ELSEWHERE and rooms != {room(name)} and not expected(name).exists():
            yield f"{expected(name).relative_to(ROOT)}, for {', '.join(sorted(rooms)) or 'those who call it'}"


def test_what_others_use_is_tested_where_its_path_says():
    lost = list(missing())
    assert not lost, "\n".join(lost)


def test_what_is_listed_exists_and_is_not_where_it_should_be():
    assert set(ELSEWHERE) <= set(MODULES)
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).exists()] == []
    assert [name for name in ELSEWHERE if expected(name).exists()] == []


@pytest.mark.parametrize("folder", ["trail_callbacks", "integrations"])
def test_every_room_has_a_folder_of_tests(folder):
    rooms = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
    assert rooms - {"prompts", "demo"} <= {path.name for path in (ROOT / "tests").iterdir()}


def test_what_the_makefile_leaves_out_is_there():
    """A path that is gone would be left out of nothing, and nobody would see it."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    listed = re.findall(r"^(?:WHOLE|SLOW) := (.*)$", text, flags=re.MULTILINE)
    names = " ".join(listed).replace("$(addprefix tests/,", "tests/ ").replace(")", "").split()
    paths = [each if each.startswith("tests/") else f"tests/{each}" for each in names]
    assert len(paths) > len(listed)
    assert [each for each in paths if not (ROOT / each).exists()] == []
