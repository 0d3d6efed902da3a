"""When a model is asked again, for what, and how often."""

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from trail_callbacks.judges.llm.asking import Heard, ask
from trail_callbacks.models import Call, Failure, Message, Reply
from trail_callbacks.models.drive import drive
from trail_callbacks.testing import ScriptedModel


class Letters(BaseModel):
    letters: str


@dataclass(frozen=True)
class Spelling:
    """Asks for some letters; each that comes back is a result, one that is lost is a result in capitals."""

    wanted: str

    def call(self, note):
        text = f"{self.wanted}|{note}"
        return Call(messages=(Message("user", text),), schema=Letters, purpose="test", max_tokens=10 * len(self.wanted))

    def read(self, reply):
        given = reply.value.letters if reply.value else reply.text or ""
        result = "".join(letter for letter in self.wanted if letter in given)
        left = "".join(letter for letter in self.wanted if letter not in given)
        if not left:
            return Heard(result)
        failure = reply.failure or Failure("invalid", "letters are missing")
        return Heard(result, Spelling(left), failure, left.upper(), f"without {left}")

    def smaller(self, failure):
        half = len(self.wanted) // 2
        return [Spelling(self.wanted[:half]), Spelling(self.wanted[half:])] if half else []


def spell(script, *wanted):
    model = ScriptedModel(script)
    results, _ = drive(ask([Spelling(one) for one in wanted]), model, concurrency=1)
    return results, [call.messages[0].content for call in model.calls], model.calls


def given(letters):
    return {"letters": letters}


def fails(kind, text=None):
    return Reply(failure=Failure(kind, "no"), text=text)


@pytest.mark.parametrize("first", [given("a"), fails("invalid", "a"), Reply(text="a")])
def test_only_what_is_missing_is_asked_once_again_with_a_note(first):
    assert spell([first, given("bc")], "abc")[:2] == (["a", "bc"], ["abc|", "bc|without bc"])
    assert spell([first, given("b")], "abc")[:2] == (["a", "b", "C"], ["abc|", "bc|without bc"])


@pytest.mark.parametrize("kind", ["refused", "too_long"])
def test_a_refused_task_is_split_until_the_refused_part_is_alone(kind):
    def squeamish(call):
        wanted = call.messages[0].content.partition("|")[0]
        return fails(kind) if "c" in wanted else given(wanted)

    results, prompts, _ = spell(squeamish, "abcd")
    assert prompts == ["abcd|", "ab|", "cd|", "c|", "d|"]
    assert sorted(filter(None, results)) == ["C", "ab", "d"]


def test_what_is_left_of_a_cut_answer_gets_twice_the_room():
    results, _, calls = spell([fails("length", "ab"), given("cd")], "abcd")
    assert results == ["ab", "cd"]
    assert [call.max_tokens for call in calls] == [40, 2 * 20]


def test_a_cut_answer_of_which_nothing_came_is_split_and_gets_more_room_only_once():
    results, prompts, calls = spell(lambda call: fails("length"), "ab")
    assert prompts == ["ab|", "a|", "b|", "a|", "b|"]
    assert [call.max_tokens for call in calls] == [20, 10, 10, 20, 20]
    assert sorted(filter(None, results)) == ["A", "B"]
