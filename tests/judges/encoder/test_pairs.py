"""Models that take evidence and claim: real architectures, compared with what transformers itself says of their input."""

import pytest
from seen import WITHOUT, claim, inputs, like, run

from trail_callbacks import EncoderJudge, check
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question

for needed in ("torch", "transformers"):
    pytest.importorskip(needed, reason=WITHOUT)
pytestmark = pytest.mark.encoder

ROBERTA, DEBERTA = "lytang/MiniCheck-RoBERTa-Large", "lytang/MiniCheck-DeBERTa-v3-Large"
FACTCG = "yaxili96/FactCG-DeBERTa-v3-Large"
EVIDENCE, CLAIM = "the ferry takes forty people today.", "the ferry carries people."


def passage(text, start=0, node="d1"):
    return Passage(id=f"{node}-{start}", node_id=node, start=start, end=start + len(text), text=text)


def ask(text=CLAIM, *passages):
    return Question(claim=claim(text), passages=passages or (passage(EVIDENCE),))


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """Folders of untrained models, by the id of the model whose kind they are."""
    import torch

    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("made")
    rob = tiny.roberta_tokenizer()
    deb = tiny.tokenizer(eos_token="[SEP]")
    two = {0: "LABEL_0", 1: "LABEL_1"}
    return {
        ROBERTA: tiny.saved(tiny.roberta(rob), rob, folder / "roberta"),
        DEBERTA: tiny.saved(tiny.deberta(deb, two, 2048), deb, folder / "deberta"),
        FACTCG: tiny.saved(tiny.deberta(deb, two, 2048), deb, folder / "factcg"),
    }


def judge(made, name, **more):
    return EncoderJudge(made[name], profile=like(name), margin=0.0, **more)


def said(judgement):
    """The score in a rationale."""
    return float(judgement.rationale.partition("score ")[2][:4])


@pytest.mark.parametrize("name", [ROBERTA, DEBERTA, FACTCG])
def test_a_model_reads_its_own_format_and_its_answer_is_read_where_it_stands(made, name):
    import torch
    import transformers

    asked = judge(made, name)
    with inputs(asked) as seen:
        (judgement,) = run(asked, [ask()])
    loaded = asked._first.loaded()
    network = loaded.network
    texts = {
        ROBERTA: f"{EVIDENCE}</s>{CLAIM}",
        DEBERTA: f"{EVIDENCE}[SEP]{CLAIM}",
        FACTCG: (
            f'{EVIDENCE}\n\nChoose your answer: based on the paragraph above can we conclude that "{CLAIM}"?'
            "\n\nOPTIONS:\n- Yes\n- No\nI think the answer is "
        ),
    }
    expected = transformers.AutoTokenizer.from_pretrained(made[name])(texts[name])
    assert seen == [expected["input_ids"]]
    ids = torch.tensor([expected["input_ids"]])
    with torch.no_grad():
        logits = network(input_ids=ids).logits[0]
    assert said(judgement) == pytest.approx(logits.softmax(-1)[1].item(), abs=0.006)
    assert judgement.support != "contradicted"


@pytest.mark.parametrize("name", [ROBERTA, DEBERTA, FACTCG])
def test_a_claim_is_never_cut_and_no_input_exceeds_the_window(made, name):
    asked = judge(made, name, chunks=None)
    text = " ".join(["the bridge carries small green cars today"] * 700) + " " + "x" * 3000
    last = asked._first.loaded().tokenizer("purple", add_special_tokens=False)["input_ids"]
    passages = [passage(text), passage("the mill is old.", len(text) + 1)]
    with inputs(asked) as seen:
        (judgement,) = run(asked, [ask("the ferry is purple", *passages)])
    assert judgement.error is None
    assert len(seen) > 2
    assert max(map(len, seen)) <= asked._first.loaded().window
    for ids in seen:
        ends = [i for i in range(len(ids)) if ids[i : i + len(last)] == last]
        assert ends or "purple" in asked._first.loaded().tokenizer.decode(ids)


def test_a_claim_that_fills_the_window_is_an_error_and_not_absent(entailment):
    asked = EncoderJudge(entailment)
    (judgement,) = run(asked, [ask("ferry " * 600)])
    assert judgement.support is None
    assert "too long for the 512 tokens" in judgement.error


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1)])
def test_the_order_of_labels_changes_no_verdict(tiny, entailment, tmp_path, order):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    network = AutoModelForSequenceClassification.from_pretrained(entailment)
    names = {order[i]: tiny.NLI[i] for i in range(3)}
    with torch.no_grad():
        for parameter in network.classifier.parameters():
            parameter.copy_(torch.stack([parameter[order.index(i)] for i in range(3)]))
    network.config.id2label, network.config.label2id = names, {name: i for i, name in names.items()}
    folder = tiny.saved(network, AutoTokenizer.from_pretrained(entailment), tmp_path / "m")
    report = check("The ferry carries cars.", ["It confirms old cars."], judge=EncoderJudge(folder))
    assert [v.support for v in report.verdicts] == ["supported"]
    report = check("The ferry carries cars.", ["It denies old cars."], judge=EncoderJudge(folder))
    assert [v.support for v in report.verdicts] == ["contradicted"]
    report = check("The ferry carries cars.", ["It carries old cars."], judge=EncoderJudge(folder))
    assert [v.support for v in report.verdicts] == ["absent"]


def test_the_highest_chunk_counts_and_its_best_sentence_is_the_evidence(entailment):
    asked = EncoderJudge(entailment, profile=like("", chunk=40), chunks=None)
    sources = [
        "\n\n".join(["The old mill carries small people today."] * 9) + "\n\nThe town confirms forty cars. The end."
    ]
    sources += ["The bridge is green. " * 3]
    report = check("The ferry carries cars.", sources, judge=asked)
    (verdict,) = report.verdicts
    assert verdict.support == "supported"
    assert [item.quote for item in verdict.evidence] == ["The town confirms forty cars."]
    item = verdict.evidence[0]
    assert report.graph.node(item.node_id).text[item.start : item.end] == item.quote
