"""Pipelines run side by side."""

from pydantic import BaseModel

from trail_callbacks.models.call import Call, Message
from trail_callbacks.models.drive import together
from trail_callbacks.testing import ScriptedModel


class Echo(BaseModel):
    text: str


def asks(*batches):
    """Asks batch after batch and returns what came back."""
    heard = []
    for batch in batches:
        replies = yield [Call(messages=(Message("user", text),), schema=Echo, purpose="claims") for text in batch]
        heard.append([reply.value.text for reply in replies])
    return heard


def batches(pipeline):
    """Drives a pipeline by hand and returns the texts of each batch."""
    sizes = []
    replies = None
    try:
        while True:
            calls = next(pipeline) if replies is None else pipeline.send(replies)
            sizes.append([call.messages[0].content for call in calls])
            replies = [ScriptedModel(lambda call: {"text": call.messages[0].content}).ask(call) for call in calls]
    except StopIteration as stop:
        return sizes, stop.value


def test_what_they_ask_at_one_time_is_one_batch_and_each_hears_its_own():
    sizes, results = batches(together([asks("ab", "c"), asks("d"), asks("e", "", "fg")]))
    assert sizes == [["a", "b", "d", "e"], ["c"], ["f", "g"]]
    assert results == [[["a", "b"], ["c"]], [["d"]], [["e"], [], ["f", "g"]]]


def test_closing_it_closes_them():
    closed = []

    def waits(name):
        try:
            yield [Call(messages=(Message("user", name),), schema=Echo, purpose="claims")]
        finally:
            closed.append(name)

    pipeline = together([waits("a"), waits("b")])
    next(pipeline)
    pipeline.close()
    assert sorted(closed) == ["a", "b"]
