"""A model that repeats what it is asked, and pipelines that ask it."""

import asyncio
import threading
import time

from pydantic import BaseModel

from trail_callbacks.models.call import Call, Failure, Message, Reply, Usage


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


def busy(retry_after=0.0):
    return Reply(failure=Failure("busy", "slow down"), retry_after=retry_after, usage=Usage(calls=1))


class Crowded:
    """Answers while at most so many ask at once; counts them."""

    name = "crowded"

    def __init__(self, most):
        self.most, self.inside, self.peaks, self.lock = most, 0, [], threading.Lock()

    def _enter(self):
        with self.lock:
            self.inside += 1
            self.peaks.append(self.inside)
            return self.inside <= self.most

    def _leave(self, fine):
        with self.lock:
            self.inside -= 1
        return Reply(usage=Usage(calls=1)) if fine else busy()

    def ask(self, call):
        fine = self._enter()
        time.sleep(0.005)
        return self._leave(fine)

    async def aask(self, call):
        fine = self._enter()
        await asyncio.sleep(0.005)
        return self._leave(fine)
