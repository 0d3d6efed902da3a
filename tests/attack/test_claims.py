"""What an answer or its judge may do with words so that a statement is never judged: brackets, swaps and rewrites."""

import pytest

from trail_callbacks import Claim, LLMJudge, Node, check
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.verify.coverage import coverage
from trail_callbacks.verify.threshold import refusal

TOWER = "The lighthouse of Genoa is 77 metres tall."
BRACKETS = [
    "(Rebuilt 1986)", "[Demolished 2011]", "(Vexx and Quill, 1986)", "(Abgerissen 2011)", "[D\u00e9molie 2011]", "(Sunk in 2011)",
    "(Demolita, 2011)", "(Berg et al., 2011, p. 9)", "(Source: it was demolished)", "[source: rebuilt]", "(passage: rebuilt)",
    "[sunk.md]", "\u3010demolished\u3011", "\u30101\u2020It was demolished\u3011", "\uff08\u5df2\u62c6\u9664\uff09", "[900]", "[^demolished]", "[2011]",
]  # fmt: skip
"""What looks like a citation; no source has that name or number."""


def leaving(*claims):
    """A judge whose model makes these claims, pairs of a quote and a text, and supports them all."""

    def reply(call):
        judged = {"supporting": ["s1"], "support": "supported"}
        return {"claims": [{"quote": quote, "claim": text, **judged} for quote, text in claims], "abstained": False}

    return LLMJudge(ScriptedModel(reply))


@pytest.mark.parametrize("bracket", BRACKETS)
@pytest.mark.parametrize("at", ["inside", "before the stop", "after it"])
def test_a_bracket_that_names_no_source_is_judged(bracket, at):
    places = {"inside": f"Genoa {bracket} is", "before the stop": f"tall {bracket}.", "after it": f"tall. {bracket}"}
    answer = {
        "inside": TOWER.replace("Genoa is", places["inside"]),
        "before the stop": TOWER.replace("tall.", places["before the stop"]),
        "after it": TOWER.replace("tall.", places["after it"]),
    }[at]
    if bracket == "[900]" and at != "inside":
        pytest.skip("one source, and nobody knows how the app counts its parts")
    source = f"{TOWER} Another tower was demolished in 2011 and rebuilt in 1986."
    assert refusal(check(answer, [source]), 0.0, "fail") is not None
    assert refusal(check(answer, [source], judge=leaving((TOWER, TOWER), (answer, TOWER))), 0.0) is not None


@pytest.mark.parametrize(
    ("bracket", "named"),
    [
        ("(Smith, 2020)", {"author": "Jo Smith", "year": 2020}), ("[Smith 2020]", {"title": "Smith 2020"}),
        ("(Smith & Lee, 2020)", {"text": "Smith, J. & Lee, K. (2020). Towers."}), ("[1]", {}), ("[d1]", {}), ("(passage 7)", {}),
        ("(source: harbour guide)", {"source": "docs/harbour_guide.pdf"}), ("\u30101\u2020source\u3011", {}), ("<sup>1</sup>", {}),
    ],
)  # fmt: skip
def test_a_bracket_that_names_a_source_is_a_citation(bracket, named):
    attributes = {key: value for key, value in named.items() if key != "text"}
    text = f"{named.get('text', '')}\n{TOWER}".strip()
    answer = TOWER.replace("tall.", f"tall {bracket}.")
    for judge in (None, leaving((answer, TOWER))):
        report = check(answer, [Node(id="d1", kind="document", text=text, attributes=attributes)], judge=judge)
        assert (report.state, report.hallucination_score) == ("assessed", 0.0)


SENTENCES = {  # two that differ by a swap of who and whom, and words that may be exchanged in the first
    "en": ("Alice Rossi sued Bob Bianchi in 1990.", "Bob Bianchi sued Alice Rossi in 1990.", ("sued", "praised")),
    "de": ("Anna Berg verklagte Otto Falk im Jahr 1990.", "Otto Falk verklagte Anna Berg im Jahr 1990.", ("verklagte", "lobte")),
    "fr": ("Marie Petit accuse Jean Roux de vol.", "Jean Roux accuse Marie Petit de vol.", ("vol", "meurtre")),
    "es": ("Ana Ruiz demand\u00f3 a Luis Gil en 1990.", "Luis Gil demand\u00f3 a Ana Ruiz en 1990.", ("demand\u00f3", "elogi\u00f3")),
    "ru": ("\u0410\u043d\u043d\u0430 \u043e\u0431\u0432\u0438\u043d\u0438\u043b\u0430 \u0411\u043e\u0440\u0438\u0441\u0430.", "\u0411\u043e\u0440\u0438\u0441\u0430 \u043e\u0431\u0432\u0438\u043d\u0438\u043b\u0430 \u0410\u043d\u043d\u0430.", ("\u043e\u0431\u0432\u0438\u043d\u0438\u043b\u0430", "\u0441\u043f\u0430\u0441\u043b\u0430")),
    "ja": ("\u7530\u4e2d\u6c0f\u304c\u9234\u6728\u6c0f\u3092\u8a34\u3048\u305f\u3002", "\u9234\u6728\u6c0f\u304c\u7530\u4e2d\u6c0f\u3092\u8a34\u3048\u305f\u3002", ("\u9234\u6728\u6c0f", "\u4f50\u85e4\u6c0f")),
    "number": ("Tower A is 20 metres and tower B is 35 metres tall.", "Tower A is 35 metres tall.", ("20", "35")),
    "comma": ("Tower A is 20 metres, tower B 35 metres tall.", "Tower B is 20 metres, tower A 35 metres tall.", ("A is", "C is")),
    "prison": ("The old prison of Genoa was illegally rebuilt by Vexx.", "The old prison of Vexx was rebuilt by Genoa.", ("prison", "lighthouse")),
    "verb": ("The lighthouse of Genoa was demolished in 2011.", "In 2011 Genoa was demolished.", ("demolished", "rebuilt")),
    "denied": ("The minister denied that the tower collapsed.", "The tower collapsed.", ("denied ", "")),
    "manner": ("Quill illegally sold the tower to Vexx.", "Vexx sold the tower.", ("illegally ", "")),
}  # fmt: skip


def left(answer, quote, text):
    start = answer.index(quote)
    claim = Claim(id="c1", text=text, quote=quote, start=start, end=start + len(quote))
    return coverage(answer, [claim]).uncovered


@pytest.mark.parametrize(("said", "swapped", "words"), SENTENCES.values(), ids=SENTENCES)
def test_a_claim_covers_what_it_says_and_no_other_order_or_word(said, swapped, words):
    assert not left(said, said, said)
    assert left(f"{said}\n\n{swapped}", said, said)  # the judge skips the second sentence
    assert left(said, said, swapped)  # or quotes a sentence and states another
    assert left(said, said, said.replace(*words))


@pytest.mark.parametrize(
    ("answer", "quote", "text"),
    [
        ("The mill is old. It burnt in 1990.", "It burnt in 1990.", "The mill burnt in 1990."),
        ("In 1990, the mill burnt.", "In 1990, the mill burnt.", "The mill burnt in 1990."),
        ("Die M\u00fchle ist alt. Sie brannte 1990 ab.", "Sie brannte 1990 ab.", "Die M\u00fchle brannte 1990 ab."),
        ("Le moulin est vieux. Il a br\u00fbl\u00e9 en 1990.", "Il a br\u00fbl\u00e9 en 1990.", "Le moulin a br\u00fbl\u00e9 en 1990."),
        ("\u5854\u5f88\u65e7\u3002\u5b83\u9ad877\u7c73\u3002", "\u5b83\u9ad877\u7c73\u3002", "\u5854\u9ad877\u7c73\u3002"),
        ("Its wheels turn.", "Its wheels turn.", "The wheels of the mill turn."),
        ("- Wheels: 3\n", "Wheels: 3", "The mill has 3 wheels."),
        ("Yes, the mill is old.", "Yes, the mill is old.", "The mill is old."),
        ("- built in 1543\n", "built in 1543", "The mill was built in 1543."),
    ],
)  # fmt: skip
def test_a_claim_may_say_what_its_quote_refers_to(answer, quote, text):
    assert all(quote not in said for _, _, said in left(answer, quote, text))


def test_a_number_beyond_the_sources_is_no_citation():
    report = check(f"{TOWER} [7]", [TOWER, f"{TOWER} It is old."], judge=leaving((TOWER, TOWER)))
    assert [claim.quote for claim in report.uncovered] == ["7"]
