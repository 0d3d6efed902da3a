"""Models that take evidence and claim: what they read, where their answer stands, in which order."""

import graphs
import pytest
from seen import claim, inputs, like, run, watched

from trail_callbacks import EncoderJudge, check
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder import inference
from trail_callbacks.judges.encoder.inference import Encoder
from trail_callbacks.judges.judge import Question
from trail_callbacks.models.drive import drive

FACTCG, ROBERTA = "yaxili96/FactCG-DeBERTa-v3-Large", "lytang/MiniCheck-RoBERTa-Large"
HHEM, T5 = "FamiliarTools/HHEM-2.1-Open-onnx", "FamiliarTools/MiniCheck-Flan-T5-Large-onnx"
EVIDENCE, CLAIM = "the ferry confirms forty people today.", "the ferry carries people."
TEXTS = {
    ROBERTA: f"{EVIDENCE}</s>{CLAIM}",
    FACTCG: (
        f'{EVIDENCE}\n\nChoose your answer: based on the paragraph above can we conclude that "{CLAIM}"?'
        "\n\nOPTIONS:\n- Yes\n- No\nI think the answer is "
    ),
    HHEM: (
        f"<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {EVIDENCE}\n\nHypothesis: {CLAIM}"
    ),
    T5: f"predict: {EVIDENCE}</s>{CLAIM}",
}


def passage(text, start=0, node="d1"):
    return Passage(id=f"{node}-{start}", node_id=node, start=start, end=start + len(text), text=text)


def ask(text=CLAIM, *passages):
    return Question(claim=claim(text), passages=passages or (passage(EVIDENCE),))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folders by the id of the model whose input and output they have."""
    folder = tmp_path_factory.mktemp("made")
    first = graphs.first_token(folder / "first")
    return {ROBERTA: first, FACTCG: first, HHEM: first, T5: graphs.decoding(folder / "t5")}


def judge(made, name, **more):
    return EncoderJudge(made[name], profile=name, **more)


@pytest.mark.parametrize("name", TEXTS)
def test_a_model_reads_its_own_format_and_its_answer_is_read_where_it_stands(made, name):
    asked = judge(made, name)
    with inputs(asked) as seen:
        found = run(asked, [ask(), ask(CLAIM, passage("the mill is old."))])
    assert asked._first.loaded().tokenizer.encode(TEXTS[name]).ids in seen
    begins = {ids[0] for ids in seen}
    if name == HHEM:  # all others begin with the evidence, where the opposite is said
        assert begins == {0}
    if name in {HHEM, T5}:
        assert [one.support for one in found] == ["supported", "absent"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_claim_is_never_cut_and_no_input_exceeds_the_window(made, name):
    asked = judge(made, name, chunks=None)
    text = " ".join(["the bridge carries small green cars today"] * 700) + " " + "x" * 3000
    last = asked._first.loaded().tokenizer.encode("purple", add_special_tokens=False).ids
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
def test_the_order_of_labels_changes_no_verdict(tmp_path, order):
    asked = EncoderJudge(graphs.entailment(tmp_path / "m", order))
    for word, support in (("confirms", "supported"), ("denies", "contradicted"), ("carries", "absent")):
        report = check("The ferry carries cars.", [f"It {word} old cars."], judge=asked)
        assert [v.support for v in report.verdicts] == [support]


def test_batches_hold_no_more_tokens_than_they_may_and_change_no_answer(entailment, grounding, monkeypatch):
    monkeypatch.setattr(inference, "_TOGETHER", 60)
    texts = ["the ferry confirms cars.", "the mill is old today. " * 3, "it denies forty small cars.", "the town."] * 3
    for asked in (EncoderJudge(entailment), EncoderJudge(grounding, labels=("supported", "absent"))):
        network = watched(asked)
        together, single = (Encoder(asked._first.loaded(), size) for size in (5, 1))
        encodings = [together.encode(text, CLAIM) for text in texts]
        found = drive(together.probabilities(encodings), None)[0]
        assert len(network.batches) < len(texts)
        assert max(batch["input_ids"].size for batch in network.batches) <= 60
        for one, other in zip(found, drive(single.probabilities(encodings), None)[0], strict=True):
            assert [value for row in one for value in row] == pytest.approx([v for row in other for v in row], abs=1e-6)


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
