"""From a name or folder to a model: what is there, what is not, and what it must not do to the app."""

import hashlib
import json
import shutil
import sys
from pathlib import Path

import graphs
import numpy as np
import onnx.parser
import pytest
from seen import like, python

from trail_callbacks import EncoderJudge, check
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError
from trail_callbacks.judges.encoder.profiles import PROFILES


def test_importing_and_naming_a_judge_loads_no_runtime():
    done = python(
        "import sys, trail_callbacks\n"
        "loaded = {'torch', 'onnxruntime', 'trail_callbacks.judges.encoder'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "assert 'EncoderJudge' in dir(trail_callbacks)\n"
        "judge = trail_callbacks.EncoderJudge\n"
        "try: judge('someone/some-model')\n"
        "except ImportError: pass\n"
        "assert not {'torch', 'transformers', 'onnxruntime', 'tokenizers'} & set(sys.modules)\n"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_without_the_extra_the_error_is_a_pip_line(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r'EncoderJudge.*pip install "trail-callbacks\[encoder\]"'):
        EncoderJudge()


def test_weights_without_an_onnx_file_name_the_extra_that_runs_them(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}')
    assert "has neither an ONNX file nor weights" in refused(tmp_path)
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[encoder-torch\]"):
        EncoderJudge(str(tmp_path)).load()


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
        ({"threads": 0}, "threads"),
        ({"threshold": float("nan")}, "threshold"),
        ({"margin": -0.1}, "margin"),
        ({"profile": "someone/else"}, "FactCG"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused_at_once(option, why):
    with pytest.raises(InputError, match=why):
        EncoderJudge(**option)


def changed(folder, to, **config):
    """A copy of a model, with changes of its configuration."""
    copy = shutil.copytree(folder, to)
    found = json.loads((copy / "config.json").read_text()) | config
    (copy / "config.json").write_text(json.dumps(found))
    return copy


def refused(folder, **options):
    with pytest.raises(JudgeError) as caught:
        EncoderJudge(str(folder), **options).load()
    report = check("It rains.", ["It rains."], judge=EncoderJudge(str(folder), **options))
    assert report.state == "error"
    assert str(caught.value) in report.verdicts[0].error
    return str(caught.value)


def test_a_folder_that_holds_no_model_says_so(tmp_path):
    assert "it has no config" in refused(tmp_path)


def test_another_kind_of_model_is_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
    assert "GPT2LMHeadModel, expected a classifier" in refused(tmp_path)


def test_a_configuration_that_holds_something_else_is_a_failure(entailment, tmp_path):
    assert "cannot be loaded: AttributeError" in refused(changed(entailment, tmp_path / "a", id2label=["entailment"]))
    assert "cannot be loaded: ValueError" in refused(changed(entailment, tmp_path / "b", id2label={"x": "neutral"}))


def test_files_that_are_missing_damaged_or_unclear_are_named(entailment, tmp_path):
    folder = changed(entailment, tmp_path / "m")
    assert "device is 'cuda'" in refused(folder, device="cuda")
    assert "no file 'model_int8.onnx' (there: model.onnx)" in refused(folder, file="model_int8.onnx")
    (folder / "model.onnx").rename(folder / "a.onnx")
    shutil.copy(folder / "a.onnx", folder / "b.onnx")
    assert "say which: file=... (there: a.onnx, b.onnx)" in refused(folder)
    EncoderJudge(str(folder), file="b.onnx").load()
    (folder / "a.onnx").unlink()
    EncoderJudge(str(folder)).load()  # it is the only one
    (folder / "b.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    assert "b.onnx: it is damaged, or no ONNX file" in refused(folder)
    (folder / "tokenizer.json").write_text("{")
    assert "the tokenizer.json of" in refused(folder)
    (folder / "tokenizer.json").unlink()
    assert "has no tokenizer.json" in refused(folder)


def test_files_of_another_format_or_without_their_weights_are_named(entailment, tmp_path):
    folder = changed(entailment, tmp_path / "m")
    model = onnx.load(folder / "model.onnx")
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="model.onnx.data", size_threshold=0)
    EncoderJudge(str(folder)).load()
    (folder / "model.onnx.data").unlink()
    assert "part of its weights is in another file" in refused(folder)
    model = onnx.load(f"{entailment}/model.onnx")
    model.opset_import[0].version = 99
    onnx.save(model, folder / "model.onnx")
    assert "update onnxruntime" in refused(folder)


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [(("input_ids", "pixels"), ["logits"]), (["input_ids"], ["logits"]), (("input_ids", "attention_mask"), ["a", "b"])],
)
def test_a_graph_for_another_use_is_refused(entailment, tmp_path, inputs, outputs):
    folder = changed(entailment, tmp_path / "m")
    takes, gives = (
        ", ".join(f"{kind}[B,T] {n}" for n in names) for kind, names in (("int64", inputs), ("float", outputs))
    )
    body = " ".join(f"{name} = Cast <to: int = 1> (input_ids)" for name in outputs)
    onnx.save(graphs.graph(f"other ({takes}) => ({gives}) {{ {body} }}"), folder / "model.onnx")
    why = f"makes {', '.join(outputs)} of {', '.join(inputs)}, expected logits of attention_mask, input_ids, perhaps token"
    assert why in refused(folder)


def test_another_number_of_labels_or_of_outputs_is_an_error(entailment, grounding, tmp_path):
    two = changed(entailment, tmp_path / "m", id2label={"0": "entailment", "1": "contradiction"})
    assert "has 3 outputs, and 2 labels were given" in refused(two)
    judge = EncoderJudge(grounding, profile=like("", labels=("absent", "supported")))  # an answer for each token
    assert "expected (1,) by 2 labels" in check("It rains.", ["It rains."], judge=judge).verdicts[0].error


def test_a_file_that_is_not_the_one_that_was_pinned_is_not_loaded(entailment, tmp_path):
    folder = changed(entailment, tmp_path / "m")
    found = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    EncoderJudge(str(folder), sha256=found.upper()).load()
    assert f"its SHA-256 is {found}, expected {'0' * 64}" in refused(folder, sha256="0" * 64)
    told = {"format": "trail-encoder", "version": 1, "model": "cross-encoder/nli-deberta-v3-small", "sha256": found}
    (folder / "trail.json").write_text(json.dumps(told))
    judge = EncoderJudge(str(folder))
    judge.load()
    assert judge._first.source.profile is PROFILES["cross-encoder/nli-deberta-v3-small"]
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes() + b"\0\0")
    assert "not what was pinned" in refused(folder)
    named = EncoderJudge(str(folder)).name
    (folder / "trail.json").write_text(json.dumps(told | {"sha256": "0" * 64}))
    assert EncoderJudge(str(folder)).name != named  # else a bench would take it for the one that it asked before
    (folder / "trail.json").write_text(json.dumps(told | {"version": 2}))
    with pytest.raises(JudgeError, match=r"trail\.json is of another version"):
        EncoderJudge(str(folder))


def test_a_file_runs_on_as_many_threads_as_were_asked_for_and_reports_to_nobody(entailment):
    done = python(
        "import os\n"
        "from trail_callbacks import EncoderJudge\n"
        f"loaded = [EncoderJudge({entailment!r}, threads=n)._first.loaded() for n in (1, 3)]\n"
        "print(len(os.listdir('/proc/self/task')) if os.path.isdir('/proc/self/task') else 3)\n",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    assert (done.stdout, done.stderr) == ("3\n", "")  # one and two, and none that sends


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no memory to be read here")
def test_memory_of_a_batch_is_given_back(tmp_path):
    wide = np.zeros((512, 2048), dtype=np.float32)
    narrow = np.zeros((2048, 3), dtype=np.float32)
    text = f"tiny ({graphs.INPUTS}) => (float[B,3] logits) {{ {graphs.SUM} flat = Squeeze (summed, one)"
    model = graphs.graph(f"{text} logits = MatMul (flat, narrow) }}", table=wide, narrow=narrow)
    folder = graphs.saved(tmp_path, graphs.words(), graphs.config(graphs.NLI), model=model)
    done = python(
        "import numpy as np\n"
        "from trail_callbacks import EncoderJudge\n"
        "def mb(): return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6\n"
        f"network = EncoderJudge({folder!r}, threads=1)._first.loaded().network\n"
        "def run(*shape): network.logits(dict.fromkeys(['input_ids', 'attention_mask'], np.ones(shape, dtype=np.int64)))\n"
        "run(1, 8)\n"
        "before = mb()\n"
        "run(16, 512)\n"
        "print(mb() - before)\n"
    )
    assert float(done.stdout) < 30, done.stderr  # 67 of one tensor


def test_without_torch_nothing_of_it_is_imported(entailment):
    done = python(
        "import sys\n"
        f"from trail_callbacks import EncoderJudge, check\n"
        "sys.modules['torch'] = sys.modules['transformers'] = None\n"
        f"report = check('The ferry carries cars.', ['It confirms old cars.'], judge=EncoderJudge({entailment!r}))\n"
        "assert 'huggingface_hub' not in sys.modules\n"
        "print(report.verdicts[0].support)"
    )
    assert (done.stdout, done.stderr) == ("supported\n", "")
