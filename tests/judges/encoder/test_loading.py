"""From a name or folder to a model: what is there, what is not, and what it must not do to the app."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trail_callbacks import EncoderJudge, check
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError

ROOT = Path(__file__).parents[3]

OFFLINE = """
import socket
def refuse(*args, **kwargs): raise OSError("no network here")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
"""


def python(code, **env):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | env
    path = os.pathsep.join([str(ROOT), str(ROOT / "integrations"), env.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_importing_and_naming_a_judge_loads_neither_torch_nor_transformers():
    done = python(
        "import sys, trail_callbacks\n"
        "loaded = {'torch', 'transformers', 'trail_callbacks.judges.encoder'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "assert 'EncoderJudge' in dir(trail_callbacks)\n"
        "judge = trail_callbacks.EncoderJudge\n"
        "try: judge('someone/some-model')\n"
        "except ImportError: pass\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_the_extra_the_error_is_a_pip_line(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r'EncoderJudge.*pip install "trail-callbacks\[encoder\]"'):
        EncoderJudge()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("", "expected a hub id"),
        (7, "expected a hub id"),
        ("./nowhere", "no such folder"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_at_once(model, why):
    with pytest.raises(JudgeError, match=why):
        EncoderJudge(model)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"chunks": 0}, "chunks"),
        ({"threshold": float("nan")}, "threshold"),
        ({"margin": -0.1}, "margin"),
        ({"profile": "someone/else"}, "FactCG"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused_at_once(option, why):
    with pytest.raises(InputError, match=why):
        EncoderJudge(**option)


@pytest.mark.encoder
@pytest.mark.usefixtures("tiny")
class TestWithoutNetwork:
    """The tests' own guard refuses every connection."""

    def test_a_model_that_is_neither_cached_nor_reachable_is_an_error_of_the_report(self, monkeypatch, tmp_path):
        report = check("It rains.", ["It rains."], judge=EncoderJudge("nobody/no-such-model"))
        assert report.state == "error"
        assert report.hallucination_score is None
        told = report.verdicts[0].error
        assert "nobody/no-such-model is neither in the cache nor to be had from the hub" in told
        assert "hf download nobody/no-such-model" in told

    def test_the_same_is_raised_to_who_loads_ahead(self):
        with pytest.raises(JudgeError, match="neither in the cache"):
            EncoderJudge("nobody/no-such-model").load()

    def test_a_folder_that_holds_no_model_says_so(self, tmp_path):
        with pytest.raises(JudgeError, match="it has no config"):
            EncoderJudge(str(tmp_path)).load()

    def test_code_of_others_is_not_run(self, tmp_path, entailment):
        folder = shutil.copytree(entailment, tmp_path / "m")
        config = json.loads((folder / "config.json").read_text())
        config |= {"auto_map": {"AutoModelForSequenceClassification": "evil.Model"}, "model_type": "their-own"}
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "evil.py").write_text("open('ran', 'w').write('x'); raise SystemExit(3)")
        with pytest.raises(JudgeError, match="code of its own, which is not run"):
            EncoderJudge(str(folder)).load()

    def test_another_kind_of_model_is_refused(self, tmp_path):
        (tmp_path / "config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
        with pytest.raises(JudgeError, match="GPT2LMHeadModel, expected a classifier"):
            EncoderJudge(str(tmp_path)).load()

    def test_weights_that_are_cut_off_are_an_error(self, tmp_path, entailment):
        folder = shutil.copytree(entailment, tmp_path / "m")
        data = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(data[: len(data) // 2])
        assert (
            "cannot be read as a model" in check("It rains.", ["It is."], judge=EncoderJudge(str(folder))).warnings[0]
        )

    def test_a_device_that_is_not_there_is_an_error(self, entailment):
        with pytest.raises(JudgeError, match="device 'cuda:7'"):
            EncoderJudge(entailment, device="cuda:7").load()
        with pytest.raises(JudgeError, match="nonsense"):
            EncoderJudge(entailment, device="nonsense").load()


def cached(folder, home, model="someone/tiny-nli"):
    """The hub's cache as a download leaves it."""
    place = home / "hub" / f"models--{model.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    shutil.copytree(folder, place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit)


RUN = """
from trail_callbacks import check
report = check("The ferry carries cars.", ["It confirms old cars."], judge="encoder:someone/tiny-nli")
assert [v.support for v in report.verdicts] == ["supported"], report.warnings
print(report.judge)
"""


@pytest.mark.encoder
@pytest.mark.parametrize("env", [{}, {"HF_HUB_OFFLINE": "1"}])
def test_what_is_in_the_cache_is_used_without_asking_the_hub(entailment, tmp_path, env):
    cached(entailment, tmp_path)
    done = python(OFFLINE + RUN, HF_HOME=str(tmp_path), **env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("encoder/1/someone/tiny-nli/")
    assert not done.stderr  # no bar, no warning
