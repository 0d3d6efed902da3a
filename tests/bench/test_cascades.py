"""Cascades composed from a bench, beside the same cascades run."""

import json
from dataclasses import replace
from random import Random

import pytest

from trail_callbacks.bench import Bench, Judged, Label, Labelled, Reading, Said, cascades, chosen
from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.judges.cascade import CascadeJudge
from trail_callbacks.judges.judge import Assessment, Judgement, Question
from trail_callbacks.models.call import Budget, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

PRICES = Budget(price_in=1.0, price_out=2.0)
HERE = Usage(seconds=1.0)
CALL = Usage(calls=1, prompt_tokens=900_000, completion_tokens=50_000, seconds=4.0)
OF = {
    "w": {"support": SupportClass.CONTRADICTED, "error_type": ErrorType.NUMBER},
    "r": {"support": SupportClass.SUPPORTED},
    "?": {"undecided": "too hard"},
}


class Script:
    """A judge that says of each claim what is written down, and notes which claims it is asked about."""

    model = None

    def __init__(self, name, says, usage=HERE, abstains=True):
        self.name, self.says, self.usage, self.abstains, self.asked = name, says, usage, abstains, []

    def extract(self, answer, question):
        raise NotImplementedError

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        self.asked.append([question.claim.id for question in questions])
        ids = self.asked[-1]
        return Assessment(judgements=tuple(Judgement(claim_id=id_, **self.says[id_]) for id_ in ids))


def asked(answer, n):
    claims = [Claim(id=f"{answer}.{i}", text="It is so.", quote="It is so.", start=0, end=9) for i in range(n)]
    return [Question(claim=claim, passages=()) for claim in claims]


def read(judge, answer, n):
    judgements = drive(judge.assess(asked(answer, n)), None)[0].judgements
    said = [Said(outcome=each.support or "undecided", score=each.score) for each in judgements]
    return Reading(answer=answer, round=1, said=tuple(said), usage=judge.usage)


def measured(labels, *judges, lost=()):
    """A bench of answers whose sentences are (w)rong or (r)ight, as these judges read them."""
    answers = {f"a{n}": each for n, each in enumerate(labels)}
    return Bench(
        data="scripts",
        digest="0",
        answers=tuple(
            Labelled(id=id_, labels=tuple(Label(wrong=sign == "w") for sign in signs)) for id_, signs in answers.items()
        ),
        judges=tuple(
            Judged(
                judge=judge.name,
                name=judge.name,
                readings=tuple(
                    read(judge, id_, len(signs)) for id_, signs in answers.items() if (judge.name, id_) not in lost
                ),
                prices=PRICES if judge.usage.calls else None,
                abstains=judge.abstains,
            )
            for judge in judges
        ),
    )


def script(name, labels, says, **more):
    """A judge that says of each answer what stands in a string, a sign a sentence; a number is a score."""
    signs = {f"a{n}.{i}": sign for n, each in enumerate(says) for i, sign in enumerate(each)}
    judgements = {id_: OF.get(s, {"undecided": "score", "score": s}) for id_, s in signs.items()}
    assert [len(each) for each in says] == [len(each) for each in labels]
    return Script(name, judgements, **more)


def drawn(seed, answers=60):
    """Labels, and a screen, an encoder and a model that are right more or less often."""
    random = Random(seed)  # noqa: S311 - no secret
    labels = ["".join(random.choice("wrr") for _ in range(random.randint(1, 4))) for _ in range(answers)]

    def says(said):
        return [[said(sign) for sign in each] for each in labels]

    def score(sign):
        return random.choices((0.1, 0.5, 0.9, sign), (6, 2, 0, 1) if sign == "w" else (0, 2, 6, 1))[0]

    screen = script("screen", labels, says(lambda sign: random.choices((sign, "?"), (1, 4))[0]))
    encoder = script("encoder", labels, says(score), usage=Usage(seconds=2.0), abstains=False)
    wrong = says(lambda sign: sign if random.random() < 0.9 else "wr"[sign == "w"])
    return labels, screen, encoder, script("model", labels, wrong, usage=CALL, abstains=False)


@pytest.mark.parametrize("seed", range(3))
def test_a_cascade_that_runs_says_what_was_composed_of_the_file(seed, tmp_path):
    labels, *judges = drawn(seed)
    bench = measured(labels, *judges)
    several = [each for each in cascades(bench, 1.0, 1.0) if len(each.stages) > 1]
    assert {tuple(judge for judge, _ in each.stages) for each in several} == {
        ("screen", "encoder"), ("screen", "model"), ("encoder", "screen"), ("encoder", "model"),
        ("screen", "encoder", "model"),
    }  # fmt: skip
    assert sum(any(band for _, band in each.stages) for each in several) == 3
    for choice in several:
        choice.save(tmp_path / "cascade.json", bench)
        for each in judges:
            each.asked = []
        cascade = CascadeJudge.from_file(tmp_path / "cascade.json", {each.name: each for each in judges}.__getitem__)
        said = [drive(cascade.assess(asked(f"a{n}", len(s))), None)[0].judgements for n, s in enumerate(labels)]
        flat = [each for answer in said for each in answer]
        flags = [each.support in UNSUPPORTED for each in flat]
        wrong = [sign == "w" for each in labels for sign in each]
        hits = sum(a and b for a, b in zip(flags, wrong, strict=True))
        if choice.name[-5:] == "model" or not any(
            band for _, band in choice.stages
        ):  # whose band is the same in all folds
            assert (choice.precision.k, choice.precision.n) == (hits, sum(flags))
            assert (choice.recall.k, choice.recall.n) == (hits, sum(wrong))
        stages = [next(each for each in judges if each.name == name) for name, _ in choice.stages]
        assert choice.asked == pytest.approx([len(each.asked) / len(labels) for each in stages])
        deciders = [each.judge for each in flat]
        assert choice.decides == pytest.approx([deciders.count(each.name) / len(flat) for each in stages])


def test_a_later_judge_costs_where_a_sentence_is_open():
    labels = ["wr", "rr", "w", "r"] * 10
    screen = script("screen", labels, ["wr", "r?", "?", "r"] * 10)
    bench = measured(labels, screen, script("model", labels, labels, usage=CALL, abstains=False))
    found = {each.name: each for each in cascades(bench)}
    assert list(found) == ["screen", "screen + model", "model"]
    cascade = found["screen + model"]
    assert cascade.asked == (1.0, 0.5)
    assert cascade.decides == pytest.approx((4 / 6, 2 / 6))
    assert cascade.costs == {"calls": 0.5, "tokens": 475_000, "money": 0.5, "seconds": 3.0}
    assert chosen(cascades(bench, 0.9, 0.5)).name == "screen"
    assert chosen(cascades(bench, 0.9, 0.6)).name == "screen + model"


def test_each_round_counts_and_who_was_asked_once_says_the_same_again():
    labels = ["wr"] * 10
    screen, model, silent = (
        script(name, labels, [says] * 10, usage=CALL)
        for name, says in (("screen", "??"), ("model", "wr"), ("model", "rr"))
    )
    bench = measured(labels, screen, model)
    second = [replace(each, round=2) for each in measured(labels, silent).judges[0].readings]
    twice = replace(bench.judges[1], readings=(*bench.judges[1].readings, *second))
    found = {each.name: each for each in cascades(replace(bench, judges=(bench.judges[0], twice)))}
    assert (found["screen + model"].recall.k, found["screen + model"].recall.n) == (10, 20)
    assert found["screen + model"].costs["calls"] == 2.0


def test_of_judges_that_cost_about_the_same_the_simpler_is_chosen():
    labels = ["wr", "rr"] * 20
    screen = script("screen", labels, ["??", "??"] * 19 + ["??", "rr"])  # saves one call of forty
    model = script("model", labels, labels, usage=CALL, abstains=False)
    assert chosen(cascades(measured(labels, screen, model))).name == "model"


def test_a_band_is_measured_on_other_answers_than_those_it_was_chosen_on():
    labels = ["wr", "wr"]
    encoder = script("encoder", labels, [[0.3, 0.6], [0.7, 0.8]])
    silent = script("silent", labels, ["??", "??"])
    found = {tuple(judge for judge, _ in each.stages): each for each in cascades(measured(labels, encoder, silent))}
    choice = found["encoder", "silent"]
    # A cut that is right for one answer flags both sentences of the first one, or none of the second.
    assert (choice.precision.k, choice.precision.n, choice.recall.k, choice.recall.n) == (1, 2, 1, 2)


def test_who_neither_abstains_nor_has_scores_is_no_first_judge():
    labels = ["wr"] * 6
    small, large = (script(name, labels, labels, usage=CALL, abstains=False) for name in ("small", "large"))
    assert {each.name for each in cascades(measured(labels, small, large))} == {"small", "large"}


def test_only_answers_that_all_judges_have_read_count(trail, tmp_path, monkeypatch):
    labels = ["wr"] * 6
    one, other, never = (script(name, labels, labels) for name in ("one", "other", "never"))
    bench = measured(labels, one, other, never, lost={("other", "a0"), ("other", "a3")})
    failed = [replace(reading, failure="busy: later") for reading in bench.judges[2].readings]
    bench = replace(bench, judges=(*bench.judges[:2], replace(bench.judges[2], readings=tuple(failed))))
    assert {each.answers for each in cascades(bench)} == {4}
    bench.save(tmp_path / "bench.json")
    monkeypatch.chdir(tmp_path)
    _, printed, complaints = trail("bench", "cascade", "bench.json")
    assert "4 of 6 answers" in printed
    assert "never is left out" in complaints
    with pytest.raises(InputError, match="was read by all judges"):
        cascades(measured(labels[:2], one, other, lost={("one", "a1"), ("other", "a0")}))


@pytest.fixture
def saved(tmp_path):
    def make(answers, right=1.0):
        labels = ["wr", "rr"] * (answers // 2)
        says = ["wr" if n < right * answers else "rr" if n % 4 else "rw" for n in range(answers)]
        says = [each if label == "wr" else "rr" for each, label in zip(says, labels, strict=True)]
        path = tmp_path / f"{answers}-{right}.json"
        measured(labels, script("local", labels, says)).save(path)
        return str(path)

    return make


def test_the_command_chooses_and_writes_what_a_judge_is_named_by(trail, saved, tmp_path):
    out = str(tmp_path / "cascade.json")
    status, printed, _ = trail("bench", "cascade", saved(200), "-o", out)
    assert (status, "chosen: local" in printed, f"judge='cascade:{out}'" in printed) == (0, True, True)
    status, printed, _ = trail(
        "check", "--judge", f"cascade:{out}", "--answer", "It has 16 floors.", "--source", "It has 61 floors."
    )
    assert status == 0
    assert "contradicted" in printed


def test_the_command_says_what_is_missed_and_when_nobody_can_tell(trail, saved, tmp_path):
    out = tmp_path / "cascade.json"
    status, printed, complaints = trail("bench", "cascade", saved(20), "--json", "-o", str(tmp_path / "unsure.json"))
    assert status == 3
    assert json.loads(printed)["chosen"]["stages"] == [{"judge": "local"}]
    assert "too few marks to tell it from 0.9" in complaints
    assert f"{json.loads(printed)['needed']} would tell" in complaints
    status, printed, complaints = trail("bench", "cascade", saved(200, right=0.2), "-o", out)
    assert (status, out.exists()) == (1, False)
    assert "nothing reaches precision 0.9 and recall 0.8; the nearest is local" in complaints
    assert "recall is 0.20" in complaints
    assert trail("bench", "cascade", saved(20), "--recall", "80")[0] == 2


def test_a_judge_of_a_users_own_stands_in_a_file_too(trail, tmp_path, monkeypatch):
    (tmp_path / "strict.py").write_text("from trail_callbacks import LocalJudge\njudge = LocalJudge()\n")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "cascade.json"
    for named, status, said in (("judge", 0, ""), ("nobody", 2, "stage 1 (own:strict:nobody): ")):
        stages = [{"judge": f"own:strict:{named}"}, {"judge": "local"}]
        path.write_text(json.dumps({"format": "trail-cascade", "version": 1, "stages": stages}))
        found = trail("check", "--judge", f"cascade:{path}", "--answer", "It is 61.", "--source", "It is 61.")
        assert found[0] == status
        assert said in found[2]
