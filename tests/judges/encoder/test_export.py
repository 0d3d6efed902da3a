"""Weights written for onnxruntime, of each architecture: the same scores, the same verdicts, or nothing is written."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from seen import WITHOUT, claim, run

from trail_callbacks import EncoderJudge
from trail_callbacks.cli import main
from trail_callbacks.errors import JudgeError, MissingExtraError
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder import export as exporting
from trail_callbacks.judges.encoder.export import export
from trail_callbacks.judges.judge import Question

for needed in ("torch", "transformers"):
    pytest.importorskip(needed, reason=WITHOUT)
pytestmark = pytest.mark.encoder

NLI, LETTUCE = "cross-encoder/nli-deberta-v3-small", "KRLabsOrg/tinylettuce-ettin-17m-en"
ROBERTA, HHEM = "lytang/MiniCheck-RoBERTa-Large", "vectara/hallucination_evaluation_model"
FLAN, T5 = "lytang/MiniCheck-Flan-T5-Large", None
SOURCES = ("the ferry takes forty people today.", "the old mill opened, and the bridge carries seven green cars.")
CLAIMS = ("the ferry takes people.", "the bridge carries forty old cars today.")


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """Folders of untrained models whose scores vary with the input, by the id of the model whose kind they are."""
    import torch

    folder = tmp_path_factory.mktemp("weights")
    bert, rob, t5 = tiny.tokenizer(), tiny.roberta_tokenizer(), tiny.t5_tokenizer()
    networks = {
        NLI: (tiny.deberta(bert, tiny.NLI), bert),
        LETTUCE: (tiny.modernbert(bert, max_position_embeddings=768), bert),
        ROBERTA: (tiny.roberta(rob), rob),
        T5: (tiny.t5(t5, "SequenceClassification"), t5),
        HHEM: (tiny.t5(t5, "TokenClassification"), t5),
        FLAN: (tiny.t5(t5, "ConditionalGeneration"), t5),
    }
    torch.manual_seed(7)
    for network, _ in networks.values():
        for weights in network.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.2)
    folders = {name: tiny.saved(*each, folder / str(n)) for n, (name, each) in enumerate(networks.items())}
    as_its_authors_saved_it(Path(folders[HHEM]))
    return folders


def as_its_authors_saved_it(hhem):
    """As part of a network of their own, and the embeddings, which are there twice, once."""
    from safetensors.torch import load_file, save_file

    weights = load_file(hhem / "model.safetensors")
    weights.pop("transformer.encoder.embed_tokens.weight", None)
    save_file({f"t5.{name}": value for name, value in weights.items()}, hhem / "model.safetensors", {"format": "pt"})
    config = json.loads((hhem / "config.json").read_text())
    theirs = {"model_type": "HHEMv2", "architectures": ["HHEMv2ForSequenceClassification"], "auto_map": {"x": "y.Z"}}
    (hhem / "config.json").write_text(json.dumps(config | theirs | {"tie_word_embeddings": False}))


@pytest.mark.parametrize("name", [NLI, LETTUCE, ROBERTA, T5, HHEM, FLAN])
def test_what_is_exported_gives_the_scores_and_verdicts_of_torch(made, tmp_path, name):
    folder, labels = str(tmp_path / "out"), () if name else ("absent", "supported")
    done = export(made[name], folder, profile=name, labels=labels, say=lambda _: None)
    assert done["parity"]["largest"] < 1e-4
    assert done["parity"]["flipped"] == 0
    ours = EncoderJudge(folder, margin=0.0)  # asked as the model that it says it is
    theirs = EncoderJudge(made[name], profile=name, labels=labels or None, device="cpu", margin=0.0)
    ours.load()
    theirs.load()
    rng = np.random.default_rng(3)
    for inputs, length in ((1, 5), (3, 77), (2, 301)):
        ids = rng.integers(5, 200, (inputs, length))
        ids[:, -1] = 1  # of T5 the end of the text, which all have once
        mask = np.ones_like(ids)
        if name and inputs > 1:
            mask[0, length // 3 :] = 0
        batch = {"input_ids": ids, "attention_mask": mask}
        ran, wanted = (each._first.loaded().network.logits(batch) for each in (ours, theirs))
        seen = mask.astype(bool) if name == LETTUCE else slice(None)
        assert np.abs(ran[seen] - wanted[seen]).max() < 1e-3  # of scores, not of probabilities
    passages = tuple(
        Passage(id=f"p{n}", node_id="d1", start=0, end=len(text), text=text) for n, text in enumerate(SOURCES)
    )
    questions = [Question(claim=claim(text, f"c{n}"), passages=passages) for n, text in enumerate(CLAIMS)]
    for one, other in zip(run(ours, questions), run(theirs, questions), strict=True):
        assert one.error is None
        assert (one.support, one.evidence) == (other.support, other.evidence)
        assert one.score == pytest.approx(other.score, abs=1e-4)


def test_in_8_bits_it_is_smaller_and_what_it_changes_is_said(made, tmp_path, capsys):
    whole, small = tmp_path / "whole", tmp_path / "small"
    given = ["encoder", "export", made[LETTUCE], "--profile", LETTUCE, "--json", "-o"]
    assert main([*given, str(whole)]) == 0
    capsys.readouterr()
    assert main([*given, str(small), "--int8"]) == 0
    said = capsys.readouterr()
    told = json.loads((small / "trail.json").read_text())
    measured = told["parity"]["int8"]
    assert json.loads(said.out) == told
    assert measured["decisions"] > 1000  # tokens
    assert measured["largest"] > 0.01 > told["parity"]["largest"]
    assert measured["flipped"] > 0
    assert "the label of some answers is another in 8 bits" in said.err
    assert (small / "model.onnx").stat().st_size < (whole / "model.onnx").stat().st_size
    assert told["model"] == LETTUCE
    EncoderJudge(str(small)).load()
    (small / "model.onnx").write_bytes((whole / "model.onnx").read_bytes())
    with pytest.raises(JudgeError, match="is not what was pinned"):
        EncoderJudge(str(small)).load()


def test_other_probabilities_than_those_of_torch_are_not_written(made, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_ALIKE", 0.0)
    with pytest.raises(JudgeError, match="other probabilities once it is exported, by up to"):
        export(made[NLI], str(tmp_path / "out"), profile=NLI, say=lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_exported_is_named_and_leaves_nothing(made, tmp_path, capsys):
    other, there, out = tmp_path / "gpt", tmp_path / "there", str(tmp_path / "out")
    shutil.copytree(made[NLI], other)
    (other / "config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
    there.mkdir()
    for given, why in (
        ([made[ROBERTA], "-o", out], "labels of .* are 0, 1, which does not say what they mean"),
        ([str(other), "-o", out], "GPT2LMHeadModel, expected a classifier"),
        ([made[NLI], "-o", str(there)], "there is there already"),
        ([made[NLI], "-o", str(tmp_path / "no" / "out")], "cannot be written"),
        ([made[NLI], "-o", out, "--profile", "someone/else"], "profile is 'someone/else', expected"),
        (["nobody/no-such-model", "-o", out], "nobody/no-such-model cannot be had from the hub"),
    ):
        assert main(["encoder", "export", *given]) == 2
        assert re.search(why, capsys.readouterr().err)
    assert {each.name for each in tmp_path.iterdir()} == {"gpt", "there"}
    assert list(there.iterdir()) == []


def test_without_torch_the_error_is_a_pip_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[encoder-torch\]"):
        export("someone/some-model", str(tmp_path / "out"), say=lambda _: None)
