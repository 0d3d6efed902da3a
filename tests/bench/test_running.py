"""Judges that read labelled answers: what they say of each label, what it costs, and what is left when it ends early."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from numpy import float32, nan

from trail_callbacks import LLMJudge, LocalJudge
from trail_callbacks.bench import Bench, Said, bench, read_items
from trail_callbacks.errors import InputError
from trail_callbacks.judges import Assessment, Judgement
from trail_callbacks.models.call import Budget
from trail_callbacks.taxonomy import SupportClass

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))
from endpoint import Endpoint, error, fair

SOURCE = "The ferry takes 40 minutes. A ticket costs 12 euros."
RIGHT, WRONG = "The ferry takes 40 minutes.", "A ticket costs 15 euros."


def saying(outcome, **more):
    return Said(outcome=outcome, **more)


@pytest.fixture
def items(tmp_path):
    def make(n, **more):
        path = tmp_path / "rows.jsonl"
        row = {"sources": [SOURCE], "answer": f"{RIGHT} {WRONG}", "wrong": [WRONG], **more}
        rows = ({**row, "id": f"a{i}", "question": f"How is ferry {i}?"} for i in range(n))
        path.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
        return list(read_items(path, pytest.fail))

    return make


@pytest.fixture
def endpoint():
    """Starts servers on loopback."""
    started = []

    def start(*answers):
        started.append(Endpoint(*answers))
        return started[-1]

    yield start
    for each in started:
        each.close()


def model(endpoint, **settings):
    pytest.importorskip("instructor")
    return LLMJudge("openai/m", base_url=endpoint.url, api_key="none", **settings)


def counting(judge):
    """The same judge, which counts the answers that it reads."""

    class Counting(type(judge)):
        read = 0

        def extract(self, answer, question):
            type(self).read += 1
            return super().extract(answer, question)

    return Counting()


def test_each_label_gets_what_the_judge_says_and_nothing_is_read_twice(items, tmp_path):
    judge, given = counting(LocalJudge()), items(2)
    found = bench(given, {"mine": judge}, folder=tmp_path / "kept", rounds=2)
    (judged,) = found.judges
    assert [(each.answer, each.round) for each in judged.readings] == [("a0", 1), ("a1", 1), ("a0", 2), ("a1", 2)]
    assert all(
        each.said == (saying("supported"), saying("contradicted", error_type="number", entry="answer"))
        for each in judged.readings
    )
    assert (judged.name, judged.abstains, judge.read) == (LocalJudge().name, True, 4)
    assert all(each.usage.seconds > 0 for each in judged.readings)
    again = bench(given, {"mine": judge, "other": LocalJudge()}, folder=tmp_path / "kept", rounds=2)
    assert again.judges[0] == judged
    assert judge.read == 4
    again.save(tmp_path / "bench.json")
    assert Bench.load(tmp_path / "bench.json") == again
    assert again.digest == found.digest
    assert bench(items(3), {"o": None}, folder=tmp_path / "kept").digest != found.digest


def test_an_answer_that_is_there_twice_is_kept_under_both_ids(items, tmp_path):
    (item,) = items(1)
    given = [item, replace(item, labelled=replace(item.labelled, id="twin"))]
    found = bench(given, {"local": None}, folder=tmp_path / "kept")
    assert [each.answer for each in found.judges[0].readings] == ["a0", "twin"]


def test_what_is_known_of_a_part_stays_when_the_judge_fails_on_the_whole(items, tmp_path, by_colour):
    source = "The door is white. The wall is green."
    given = items(1, sources=[source], answer="The door is black. The wall is red.", wrong=["red"])
    said = (saying("not_judged"), saying("contradicted", error_type="entity", entry="answer"))
    assert bench(given, {"c": by_colour}, folder=tmp_path / "kept").judges[0].readings[0].said == said
    by_colour.extract = lambda answer: answer  # raises, as it is called
    assert bench(given, {"c": by_colour}, folder=tmp_path / "kept").judges[0].readings[0].said == said


def test_the_step_at_which_it_came_in_is_told(items, tmp_path):
    nodes = [
        {"id": "d", "kind": "document", "text": SOURCE, "inputs": []},
        {"id": "n", "kind": "completion", "text": WRONG, "inputs": ["d"]},
        {"id": "z", "kind": "answer", "text": f"{RIGHT} {WRONG}", "inputs": ["n", "d"]},
    ]
    found = bench(items(1, nodes=nodes, answer_id="z"), {"local": None}, folder=tmp_path / "kept")
    assert found.judges[0].readings[0].said[1].entry == "n"


def test_raw_scores_are_kept_and_the_lowest_counts(items, tmp_path):
    class Scoring(LocalJudge):
        def assess(self, questions, purpose="verdicts"):
            yield from ()
            scores = [0.2 + 0.1 * n for n in range(len(questions))]
            return Assessment(
                judgements=tuple(
                    Judgement(claim_id=each.claim.id, support=SupportClass.SUPPORTED, score=score)
                    for each, score in zip(questions, scores, strict=True)
                )
            )

    given = items(1, answer=f"{RIGHT} It costs 12 euros and it carries cars.", wrong=[])
    (reading,) = bench(given, {"s": Scoring()}, folder=tmp_path / "kept").judges[0].readings
    assert [each.score for each in reading.said] == pytest.approx([0.2, 0.3])


@pytest.mark.loopback
def test_a_model_is_asked_once_an_answer_and_round_and_the_cost_is_said_before(items, tmp_path, endpoint):
    server, told = endpoint(fair), []
    judge = model(server)
    found = bench(
        items(3),
        {"m": judge},
        folder=tmp_path / "kept",
        rounds=2,
        prices={"m": Budget(price_in=1.0, price_out=2.0)},
        on_cost=lambda name, cost: told.append((name, cost.calls, len(server.asked))),
    )
    (judged,) = found.judges
    assert told == [("m", 6, 0)]
    assert server.purposes == {"onepass": 6}  # wrapped, it is still a judge that needs one call
    assert [each.usage.calls for each in judged.readings] == [1] * 6
    assert sum(each.usage.prompt_tokens for each in judged.readings) == 60  # ten a call, the server says
    assert judged.prices == Budget(price_in=1.0, price_out=2.0)
    assert judged.readings[0].said == (saying("supported"), saying("absent", error_type="other", entry="answer"))


@pytest.mark.loopback
def test_a_budget_ends_it_and_a_larger_one_goes_on(items, tmp_path, endpoint):
    server = endpoint(fair)
    judges, given = {"m": model(server), "local": None}, items(5)
    first = bench(given, judges, folder=tmp_path / "kept", budget=Budget(calls=2), concurrency=1)
    assert [len(each.readings) for each in first.judges] == [2, 5]
    price = Budget(price_in=1e6, price_out=0.0)  # a token costs 1: a call 10
    second = bench(
        given, judges, folder=tmp_path / "kept", budget=Budget(money=40, price_in=0, price_out=0), prices={"m": price},
        concurrency=1,
    )  # fmt: skip
    assert [len(each.readings) for each in second.judges] == [4, 5]  # what was paid before counts
    assert len(bench(given, judges, folder=tmp_path / "kept").judges[0].readings) == 5
    assert len(server.asked) == 5


@pytest.mark.loopback
def test_a_judge_that_fails_is_given_up_and_what_failed_is_asked_again(items, tmp_path, endpoint):
    broken = endpoint(error(401, "no such key"))
    given, progress = items(20), []
    judges = {"bad": model(broken), "local": None}
    found = bench(
        given, judges, folder=tmp_path / "kept", concurrency=1, on_progress=lambda *told: progress.append(told)
    )
    bad, local = found.judges
    assert [each.failure.partition(":")[0] for each in bad.readings] == ["no claims"] * 7  # a third of twenty
    assert all(each.said == (saying("not_judged"),) * 2 for each in bad.readings)
    assert len(local.readings) == 20
    assert progress[6][:2] == ("bad: 7 of 20, 7 failed", 7)
    well = {"bad": model(endpoint(fair))}
    (mended,) = bench(given, well, folder=tmp_path / "kept").judges
    assert [each.failure for each in mended.readings] == [""] * 20


def test_a_judge_that_raises_fails_on_that_answer_alone(items, tmp_path):
    class Raising(LocalJudge):
        def extract(self, answer, question):
            if "ferry 1" in question:
                raise LookupError("no weights")
            return super().extract(answer, question)

    readings = bench(items(3), {"r": Raising()}, folder=tmp_path / "kept").judges[0].readings
    assert [each.failure for each in readings] == ["", "LookupError: no weights", ""]


@pytest.mark.parametrize(("score", "failed"), [(nan, True), (2, True), ("high", True), (float32(0.5), False)])
def test_a_score_that_is_none_is_a_failure(score, failed, items, tmp_path):
    class Scoring(LocalJudge):
        name = 7  # no text

        def assess(self, questions, purpose="verdicts"):
            yield from ()
            said = [Judgement(claim_id=q.claim.id, support=SupportClass.SUPPORTED, score=score) for q in questions]
            return Assessment(judgements=tuple(said))

    found = bench(items(1), {"s": Scoring()}, folder=tmp_path / "kept")
    found.save(tmp_path / "bench.json")
    (judged,) = Bench.load(tmp_path / "bench.json").judges
    assert (judged.name, bool(judged.readings[0].failure)) == ("7", failed)


def test_nothing_to_measure_is_refused(items, tmp_path):
    with pytest.raises(InputError, match="no labelled answer"):
        bench([], {"local": None}, folder=tmp_path)
    with pytest.raises(InputError, match="one id"):
        bench(items(1) * 2, {"local": None}, folder=tmp_path)
