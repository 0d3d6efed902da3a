"""What of the sources a judge with a model reads, in which order, and what is said of the rest."""

import re

import pytest

from trail_callbacks import CascadeJudge, LLMJudge, LocalJudge, Node, VerifyOptions, check
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import whole
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement
from trail_callbacks.models.call import Budget, Failure, Reply
from trail_callbacks.models.tokens import count
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.testing import ScriptedModel

FERRY = """# Ferry to Brannen

The ferry sails at 8 and 14. It carries 26 cars.

| day | price |
| --- | --- |
| weekday | 12 |
| Sunday | 15 |

title: Timetable of 2026
"""
STOCK = '{"items": [{"name": "lamp", "left": 14}, {"name": "desk", "left": 0}]}'


def claim(n, text):
    return Claim(id=f"c{n}", text=text, quote=text, start=0, end=len(text))


def filling(n, sentences=12):
    return " ".join(f"House {n} has a garden with {n + k} trees and a wall of stone." for k in range(sentences))


def says(call):
    """Finds claims as sentences, and supports each by the passage with its words."""
    prompt = call.messages[1].content
    passages = {m[2]: m[1] for m in re.finditer(r"^\[(s\d+)\] (?:\([^)]*\) )?(.*)$", prompt, re.MULTILINE)}
    if call.purpose in {"claims", "onepass"}:
        answer = re.search(r"<<<ANSWER \w+>>>\n(.*?)\n<<<END", prompt, re.DOTALL)[1]
        quotes = [said.strip() for said in re.findall(r"[^.]+\.", answer)]
        if call.purpose == "claims":
            return {"claims": [{"quote": quote} for quote in quotes]}
        return {"claims": [{**_verdict("", passages.get(quote)), "quote": quote} for quote in quotes]}
    claims = re.findall(r"^\[(c\d+)\] \(candidates: all\) (.*)$", prompt, re.MULTILINE)
    return {"verdicts": [_verdict(key, passages.get(text)) for key, text in claims]}


def _verdict(key, found):
    if found is None:
        return {"claim": key, "support": "absent", "comparison": "Nothing says so.", "error_type": "other"}
    return {"claim": key, "supporting": [found], "support": "supported"}


def judged(answer, sources, script=says, question=None, claims_per_call=8, **options):
    model = ScriptedModel(script)
    judge = LLMJudge(model, claims_per_call=claims_per_call)
    report = check(answer, sources, question, judge, VerifyOptions(**options, concurrency=1))
    return report, [call for call in model.calls if call.purpose != "claims"]


def block(call, name="PASSAGES"):
    return re.search(rf"<<<{name} (\w+)>>>\n(.*?)\n<<<END {name} \1>>>", call.messages[1].content, re.DOTALL)[2]


def test_every_heading_sentence_row_field_and_line_of_metadata_can_be_cited():
    shown = [passage.text for passage in whole([Node(id="a", kind="document", text=FERRY)])]
    assert shown == [
        "# Ferry to Brannen", "The ferry sails at 8 and 14.", "It carries 26 cars.", "| day | price |",
        "| weekday | 12 |", "| Sunday | 15 |", "title: Timetable of 2026",
    ]  # fmt: skip
    fields = whole([Node(id="b", kind="tool_result", text=STOCK)])
    assert all(any(word in passage.text for passage in fields) for word in ("lamp", "14", "desk", "0"))
    assert all(passage.address for passage in fields)


@pytest.mark.parametrize(
    "text", [FERRY, STOCK, filling(3), "one\n\ntwo\tthree\nfour\tfive\n", "鹿儿岛很大。有三十个岛。"]
)
def test_no_word_of_a_source_is_left_out(text):
    covered = {i for p in whole([Node(id="a", kind="document", text=text)]) for i in range(p.start, p.end)}
    left = "".join(character for i, character in enumerate(text) if i not in covered)
    assert not re.search(r"\w", left.replace("items", "")), (
        left
    )  # the key of a list stands in the address of its fields


def test_sources_that_fit_are_read_once_in_their_order_for_all_claims():
    answer = "It carries 26 cars. The ferry sails at 8 and 14. House 2 is blue."
    report, (call,) = judged(answer, [FERRY, filling(1, 3)])
    rows = block(call).splitlines()
    assert [row for row in rows if row.startswith("Text")] == ["Text A", "Text B"]
    assert [int(m[1]) for row in rows if (m := re.match(r"\[s(\d+)\]", row))] == list(range(1, 11))
    assert not any(row.startswith("~") for row in rows)
    assert [verdict.support for verdict in report.verdicts] == ["supported", "supported", "absent"]
    assert "Read" not in report.verdicts[2].rationale


ORDERS = (
    ["Use only the context.", "Say so if you do not know.", "Keep to three sentences."],
    ["Nutze nur den Kontext und nichts anderes.", "Antworte in der Sprache, in der gefragt wurde."],
)


@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize(
    ("fact", "pages"),
    [
        ("The shop closes at 18:00.", ["The castle of Moss has nine towers.", filling(1)]),
        ("Der Laden in der Burg und die Post sind montags zu.", ["Die Burg von Moss hat neun Türme und Tore."]),
    ],
)
@pytest.mark.parametrize("claims_per_call", [None, 8])
def test_of_a_prompt_the_facts_are_read_for_claims_that_the_sources_leave_open_and_the_orders_never(
    orders, fact, pages, claims_per_call
):
    prompt = Node(id="i1", kind="instruction", text=" ".join([orders[0], fact, *orders[1:]]))
    stated = pages[0]
    report, calls = judged(f"{stated} {fact}", [*pages, prompt], claims_per_call=claims_per_call)
    assert [verdict.support for verdict in report.verdicts] == ["supported", "supported"]
    assert [item.node_id for verdict in report.verdicts for item in verdict.evidence] == ["source-1", "i1"]
    assert "supported only by the question or instructions, not by a source: c2" in report.warnings
    _, (only,) = judged(stated, [*pages, prompt])
    assert stated in block(only)
    assert not [order for call in [only, *calls] for order in orders if f"] {order}" in block(call)]


def test_a_text_pasted_into_the_question_is_read():
    pasted = f"Sum this up: {filling(4, 20)}"
    report, (call,) = judged("House 4 has a garden with 5 trees and a wall of stone.", ["Else."], question=pasted)
    assert "<<<QUESTION" not in call.messages[1].content
    assert report.verdicts[0].support is SupportClass.SUPPORTED
    report, _ = judged("The castle is old.", [], question="The castle is old.")
    assert report.verdicts[0].support is SupportClass.SUPPORTED  # there is nothing else to read
    assert any("only by the question" in warning for warning in report.warnings)


def test_of_longer_sources_the_texts_that_bear_on_any_claim_are_read_first():
    texts = [filling(n) for n in range(30)]
    texts[17] += " The mill at Aldby burnt down in 1911."
    texts[25] += " The ferry carries 26 cars."
    answer = "The mill at Aldby burnt down in 1911. The ferry carries 26 cars."
    report, (call,) = judged(answer, texts, read_tokens=1200)
    assert {verdict.support for verdict in report.verdicts} == {SupportClass.SUPPORTED}
    assert count(block(call)) < 1800
    assert re.search(r"^\[s\d+\] House 17 has a garden with 28 trees", block(call), re.MULTILINE)  # beside it, citable


def test_what_is_absent_is_looked_for_in_the_rest_and_other_claims_are_not():
    texts = [filling(n) for n in range(12)]
    texts[0] += " The ferry carries 26 cars."
    texts[11] = f"Die Fähre. {texts[11]} Nobody knows zzz."
    hidden = "Qqq xxx vvv."  # shares no word with its passage: only reading on finds it

    def script(call):
        reply = says(call)
        for item in reply.get("verdicts", []):
            if item["claim"] == "c2" and "Nobody knows zzz." in block(call):
                found = re.search(r"\[(s\d+)\] Nobody knows zzz\.", block(call))[1]
                item |= {"support": "contradicted", "contradicting": [found], "error_type": "entity"}
        return reply

    report, calls = judged(f"The ferry carries 26 cars. {hidden}", texts, script, read_tokens=1500)
    assert [verdict.support for verdict in report.verdicts] == ["supported", "contradicted"]
    assert len(calls) > 1
    assert all("26 cars" not in block(call, "CLAIMS") for call in calls[1:])
    rows = [row for call in calls for row in block(call).splitlines() if row.startswith("[") and "has a garden" in row]
    assert len(rows) <= len(set(rows)) + 2 * len(texts)  # nothing is read twice but the openings of texts


def test_what_stayed_unread_is_said():
    texts = [filling(n) for n in range(200)]
    report, calls = judged("Qqq xxx vvv.", texts, read_tokens=1000)
    assert len(calls) == 5
    said = re.search(r"\(read (\d+) of 200 texts, (\d+) % of the tokens\.\)", report.verdicts[0].rationale)
    assert 0 < int(said[1]) < 60
    assert 5 <= int(said[2]) <= 25


def test_a_budget_ends_the_search_and_keeps_the_verdict():
    report, calls = judged("Qqq xxx vvv.", [filling(n) for n in range(50)], read_tokens=1000, budget=Budget(calls=3))
    assert len(calls) == 2
    assert report.verdicts[0].support is SupportClass.ABSENT
    assert "of 50 texts" in report.verdicts[0].rationale
    assert report.state == "partial"
    assert any("not all sources were read for c1" in each for each in report.warnings)


def test_a_claim_whose_halves_stand_far_apart_is_judged_with_what_was_cited_before():
    texts = [filling(n) for n in range(12)]
    texts[1] += " The mill is red."
    texts[10] = f"{filling(10)} Zzz yyy. {filling(11)}"

    def script(call):
        if call.purpose == "claims":
            return says(call)
        first = re.search(r"\[(s\d+)\] The mill is red\.", block(call))
        second = re.search(r"\[(s\d+)\] Zzz yyy\.", block(call))
        ids = [found[1] for found in (first, second) if found]
        support = {0: "absent", 1: "partially_supported", 2: "supported"}[len(ids)]
        return {"verdicts": [{"claim": "c1", "supporting": ids, "support": support, "error_type": "other"}]}

    report, calls = judged("The mill is red and qqq.", texts, script, read_tokens=900)
    assert report.verdicts[0].support is SupportClass.SUPPORTED
    assert len(report.verdicts[0].evidence) == 2
    assert len(calls) > 1


def test_a_model_that_takes_less_reads_in_smaller_turns():
    texts = [filling(n) for n in range(12)]
    texts[9] += " The ferry carries 26 cars."

    def small(call):
        if sum(count(message.content) for message in call.messages) > 2600:
            return Reply(failure=Failure("too_long", "2600 tokens"))
        return says(call)

    report, calls = judged("The ferry carries 26 cars.", texts, small)
    assert report.verdicts[0].support is SupportClass.SUPPORTED
    assert len(calls) <= 4
    report, calls = judged("The castle is old.", texts, lambda call: says(call) if call.purpose == "claims" else
                           Reply(failure=Failure("too_long", "0 tokens")))  # fmt: skip
    assert report.verdicts[0].error == "too_long: 0 tokens"
    assert len(calls) <= 6


def test_of_a_cascade_the_local_judge_gets_candidates_and_the_model_all():
    seen = []

    class Local(LocalJudge):
        def assess(self, questions, purpose="verdicts"):
            yield from ()
            seen.extend(len(question.passages) for question in questions)
            return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, undecided="unsure") for q in questions))

    model = ScriptedModel(says)
    cascade = CascadeJudge(Local(), LLMJudge(model))
    report = check("It carries 26 cars.", [FERRY, filling(1), filling(2)], judge=cascade)
    assert seen == [8]
    assert block(model.calls[-1]).count("[s") == 31
    assert report.verdicts[0].support is SupportClass.SUPPORTED


def test_a_judge_without_a_model_still_gets_candidates():
    class Asked:
        name, model = "asked/1", None
        sizes: list[int] = []  # noqa: RUF012 - one test

        def extract(self, answer, question):
            yield from ()
            return Extraction(claims=(claim(1, answer),))

        def assess(self, questions, purpose="verdicts"):
            yield from ()
            assert {question.asked for question in questions} == {"How big is it?"}
            self.sizes += [len(question.passages) for question in questions]
            return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, undecided="?") for q in questions))

    check("House 1 is big.", [filling(n) for n in range(9)], "How big is it?", judge=Asked())
    assert Asked.sizes == [8]


def test_what_a_declining_answer_could_have_said_is_looked_for_in_the_whole_text():
    def script(call):
        if call.purpose == "claims":
            return {"abstained": True, "claims": []}
        found = re.search(r"\[(s\d+)\] House 7 has a garden with 18 trees", block(call))[1]
        return {"verdicts": [{"claim": "question", "comparison": "It does.", "evidence": [found], "stated": True}]}

    model = ScriptedModel(script)
    report = check("I do not know.", [filling(n) for n in range(9)], "How many trees?", LLMJudge(model))
    assert report.state == "abstained"
    assert any("18 trees" in warning for warning in report.warnings)
