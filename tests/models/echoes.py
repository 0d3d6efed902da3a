"""A model that repeats what it is asked, and pipelines that ask it."""

from pydantic import BaseModel

from trail_callbacks.models.call import Call, Message


class Echo(BaseModel):
    text: str


def call(text="?", purpose="claims"):
    return Call(messages=(Message("user", text),), schema=Echo, purpose=purpose)


def echo(call):
    return {"text": call.messages[-1].content}


def pipeline(*batches):
    """Asks a batch of calls after another; a string is a call a letter. Returns the replies to each."""
    seen = []
    for batch in batches:
        replies = yield [call(text) for text in batch]
        seen.append(replies)
    return seen
