"""The wheel, the sdist and an editable install, each in an environment that holds the base dependencies and no extra."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "trail_callbacks": ROOT,
    "langchain_trail": ROOT / "integrations",
    "llama_index_trail": ROOT / "integrations",
    "pytest_trail": ROOT / "integrations",
    "trail_evaluators": ROOT / "integrations",
}

pytest.importorskip("hatchling", reason="needs the dev dependencies: make test")
pytest.importorskip("build", reason="needs the dev dependencies: make test")


def run(*command, cwd=ROOT, **kwargs):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False, **kwargs)


def sources():
    for package, parent in PACKAGES.items():
        for path in (parent / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(parent).as_posix()


def closure(name, seen):
    """A distribution and all it needs, without extras."""
    if canonicalize_name(name) in seen:
        return seen
    found = distribution(name)
    seen[canonicalize_name(name)] = found
    for line in found.requires or ():
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            closure(needed.name, seen)
    return seen


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, the wheel made from that sdist, and the wheel of an editable install."""
    folder = tmp_path_factory.mktemp("dist")
    made = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    assert made.returncode == 0, made.stdout + made.stderr
    editable = folder / "editable"
    editable.mkdir()
    hook = run(sys.executable, "-c", f"import hatchling.build as b; b.build_editable({str(editable)!r})")
    assert hook.returncode == 0, hook.stderr
    return {
        "sdist": next(folder.glob("*.tar.gz")),
        "wheel": next(folder.glob("*.whl")),
        "editable": next(editable.glob("*.whl")),
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An environment with the base dependencies only, linked from this one, so that no index is needed."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    where = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    needed = closure("trail-callbacks", {})
    del needed["trail-callbacks"]
    for each in needed.values():
        for top in {file.parts[0] for file in each.files or () if file.parts[0] not in {"..", "__pycache__"}}:
            link = Path(where) / top
            if not link.exists():
                link.symlink_to(Path(str(each.locate_file(top))))
    return python


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(request, built, bare):
    done = run(
        sys.executable, "-m", "pip", "--python", str(bare), "install", "--quiet", "--no-index", "--no-deps",
        "--force-reinstall", str(built[request.param]),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return bare


@pytest.fixture
def python(installed, tmp_path):
    """Runs code in the bare environment, away from the source tree."""
    return lambda code: run(str(installed), "-W", "error", "-c", code, cwd=tmp_path)


@pytest.fixture
def trail(installed, tmp_path):
    return lambda *args: run(str(installed.parent / "trail"), *args, cwd=tmp_path)


def test_the_wheel_holds_the_packages_and_nothing_else(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == set(sources())


def test_what_is_no_code_is_in_the_wheel_too(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert {f"trail_callbacks/demo/{name}.json" for name in ("recorded", "run")} <= names
    assert {f"trail_callbacks/demo/documents/{name}.md" for name in ("history", "fleet", "season")} <= names
    assert "trail_callbacks/bench/data/answers.jsonl" in names
    prompts = {
        f"trail_callbacks/judges/prompts/{path.name}" for path in (ROOT / "trail_callbacks/judges/prompts").glob("*.md")
    }
    assert prompts
    assert prompts <= names
    licences = {name.partition(".dist-info/licenses/")[2] for name in names if ".dist-info/licenses/" in name}
    vendored = (ROOT / "trail_callbacks/render/page/assets/vendor").glob("*.min.js")
    expected = {f"{path.parent.relative_to(ROOT).as_posix()}/{path.name[:-7]}.LICENSE" for path in vendored}
    assert len(expected) > 1
    assert licences == expected | {"LICENSE"}


def test_the_sdist_holds_what_the_wheel_is_made_of(built):
    with tarfile.open(built["sdist"]) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"} <= names
    assert not any(name.startswith(("tests", ".ci", "dist")) for name in names)


def test_the_base_package_works_without_any_extra(python):
    done = python(
        "from trail_callbacks import check\n"
        "report = check('It opened in 1936.', ['It opened in 1963.'])\n"
        "print(report.state, report.hallucination_score)"
    )
    assert done.stderr == ""
    assert done.stdout == "assessed 1.0\n"


def test_base_dependencies_bring_no_framework(python):
    done = python(
        "import importlib.util as u\n"
        "print([n for n in ('langchain_core', 'llama_index', 'openai', 'instructor', 'sklearn') if u.find_spec(n)])"
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("import langchain_trail", "langchain"),
        ("import llama_index_trail", "llama-index"),
        ("from trail_callbacks import LLMJudge; LLMJudge('openai/some-model').model", "llm"),
        ("from trail_callbacks import EncoderJudge; EncoderJudge()", "encoder"),
    ],
)
def test_a_missing_extra_names_its_pip_line(python, code, extra):
    done = python(code)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "MissingExtraError" in last
    assert last.endswith(f'pip install "trail-callbacks[{extra}]"')


def test_the_command_is_installed(trail):
    done = trail("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("demo", "check", "show", "doctor", "estimate"))
    assert trail("--version").stdout.startswith("trail-callbacks ")


def test_the_demo_works_without_any_extra(trail):
    done = trail("demo", "--html", "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Of 4 planted errors 4 were found" in done.stdout


def test_the_command_says_what_to_install(trail):
    done = trail("demo", "langchain")
    assert done.returncode == 2
    assert done.stdout == ""
    assert 'pip install "trail-callbacks[langchain]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_says_what_is_not_installed(trail):
    done = trail("doctor")
    assert done.returncode == 0
    assert 'pip install "trail-callbacks[langchain]"' in done.stdout
    assert 'pip install "trail-callbacks[llama-index]"' in done.stdout
