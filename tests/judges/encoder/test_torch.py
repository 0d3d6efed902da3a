"""Weights without an ONNX file: real architectures, compared with what transformers itself says of their input."""

import json
import os
import shutil

import numpy as np
import pytest
from graphs import words
from seen import WITHOUT, claim, inputs, like, run, watched

from trail_callbacks import EncoderJudge
from trail_callbacks.errors import JudgeError
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question

for needed in ("torch", "transformers"):
    pytest.importorskip(needed, reason=WITHOUT)
pytestmark = pytest.mark.encoder

ROBERTA, FACTCG = "lytang/MiniCheck-RoBERTa-Large", "yaxili96/FactCG-DeBERTa-v3-Large"
LETTUCE = "KRLabsOrg/lettucedect-base-modernbert-en-v1"
NLI = "cross-encoder/nli-deberta-v3-base"
EVIDENCE, CLAIM = "the \u00e9t\u00e9 ferry takes forty people \U0001f600 today.", "the ferry carries   people."


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """Folders of untrained models, by the id of the model whose kind they are."""
    import torch

    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("made")
    rob, bert = tiny.roberta_tokenizer(), tiny.tokenizer()
    two = {0: "LABEL_0", 1: "LABEL_1"}
    return {
        ROBERTA: tiny.saved(tiny.roberta(rob), rob, folder / "roberta"),
        FACTCG: tiny.saved(tiny.deberta(bert, two, 2048), bert, folder / "deberta"),
        LETTUCE: tiny.saved(tiny.modernbert(bert), bert, folder / "modernbert"),
        NLI: tiny.saved(tiny.deberta(bert, tiny.NLI), bert, folder / "nli"),
    }


@pytest.mark.parametrize("name", [ROBERTA, FACTCG, LETTUCE, NLI])
def test_tokens_and_scores_are_those_of_transformers(made, name):
    import torch
    import transformers

    asked = EncoderJudge(made[name], profile=like(name), device="cpu")
    network = watched(asked)
    with inputs(asked) as seen:
        run(
            asked,
            [
                Question(
                    claim=claim(CLAIM),
                    passages=(Passage(id="p", node_id="d1", start=0, end=len(EVIDENCE), text=EVIDENCE),),
                )
            ],
        )
    line = " ".join(CLAIM.split())
    texts = {
        ROBERTA: (f"{EVIDENCE}</s>{line}",),
        FACTCG: (like(name).template.format(evidence=EVIDENCE, claim=line),),
        LETTUCE: (f"Summarize the following text:\npassage 1: {EVIDENCE}\noutput:", CLAIM),
        NLI: (EVIDENCE, line),
    }
    encoded = transformers.AutoTokenizer.from_pretrained(made[name])(*texts[name], return_offsets_mapping=True)
    assert encoded["input_ids"] in seen
    ours = asked._first.loaded().tokenizer.encode(*texts[name])
    assert ours.offsets == encoded["offset_mapping"]
    kind = (
        transformers.AutoModelForTokenClassification
        if name == LETTUCE
        else transformers.AutoModelForSequenceClassification
    )
    with torch.no_grad():
        theirs = kind.from_pretrained(made[name])(input_ids=torch.tensor([encoded["input_ids"]])).logits
    batch = {n: np.array([getattr(ours, a)]) for n, a in (("input_ids", "ids"), ("attention_mask", "attention_mask"))}
    assert np.abs(network.logits(batch) - theirs.numpy()).max() < 1e-5


def test_a_device_that_is_not_there_is_an_error(made):
    for device in ("cuda:7", "nonsense"):
        with pytest.raises(JudgeError, match=f"device '{device}'"):
            EncoderJudge(made[NLI], device=device).load()


def test_code_of_others_is_not_run(tmp_path, made):
    folder = shutil.copytree(made[NLI], tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoModelForSequenceClassification": "evil.Model"}, "model_type": "their-own"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text("open('ran', 'w').write('x'); raise SystemExit(3)")
    with pytest.raises(JudgeError, match="code of its own, which is not run"):
        EncoderJudge(str(folder)).load()


def test_weights_that_are_cut_off_or_made_up_are_an_error(tmp_path, made):
    import transformers

    folder = shutil.copytree(made[NLI], tmp_path / "m")
    transformers.AutoModel.from_pretrained(folder).save_pretrained(folder)  # leaves the head out
    with pytest.raises(JudgeError, match="no weights for classifier"):
        EncoderJudge(str(folder), profile=NLI).load()
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:900])
    with pytest.raises(JudgeError, match="cannot be read as a model"):
        EncoderJudge(str(folder), profile=NLI).load()


def test_an_onnx_file_beside_weights_is_run_in_their_place(tmp_path, made, entailment):
    folder = shutil.copytree(made[NLI], tmp_path / "m")
    shutil.copy(f"{entailment}/model.onnx", folder)
    assert type(EncoderJudge(str(folder))._first.loaded().network).__name__ == "OnnxClassifier"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_runs_torch_on_one_thread(made):
    import torch

    judge = EncoderJudge(made[NLI], device="cpu")
    torch.set_num_threads(2)  # a child that used two would wait for the second
    judge.load()
    child = os.fork()
    if child == 0:
        try:
            judge.load()
            os._exit(0 if torch.get_num_threads() == 1 else 3)
        finally:
            os._exit(4)
    torch.set_num_threads(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_tokenizer_without_its_file_is_made_by_transformers(tmp_path, made, monkeypatch):
    from trail_callbacks.judges.encoder import torch as ours

    folder = shutil.copytree(made[NLI], tmp_path / "m")
    assert ours.tokenizer(folder).encode(EVIDENCE, CLAIM).ids == words().encode(EVIDENCE, CLAIM).ids
