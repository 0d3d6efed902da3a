"""A model behind instructor: any endpoint that speaks OpenAI's protocol, and whatever else instructor knows."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from trail_callbacks.errors import JudgeError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.models.call import Call, Failure, Reply, Usage
from trail_callbacks.models.client import closer, configure, connect, unlogged
from trail_callbacks.models.loop import PrivateLoop
from trail_callbacks.models.provider_error import failure_of, rejected_parameter, too_large, worth_repeating
from trail_callbacks.models.salvage import clean, document, raw_text, spoken, usage

if TYPE_CHECKING:
    from instructor import Mode

_CREDENTIALS = re.compile(r"//[^/@]*@")
_SECRET = frozenset({"api_key", "extra_headers", "default_headers"})
_REASONING_ROOM = 8192  # tokens a reasoning model may think before it answers; they count against its limit


class _Attempts:
    """Counts the requests of one call and tidies each response before instructor parses it."""

    def __init__(self) -> None:
        from instructor.core.hooks import Hooks  # noqa: PLC0415 - optional and heavy

        self.made = 0
        self.last: Any = None  # the last response, whatever it holds
        self.hooks = Hooks()
        self.hooks.on("completion:kwargs", self._sent)
        self.hooks.on("completion:response", self._received)

    def _sent(self, *_: Any, **__: Any) -> None:
        self.made += 1
        self.last = None

    def _received(self, response: Any) -> None:
        self.last = response
        for choice in getattr(response, "choices", None) or ():
            message = getattr(choice, "message", None)
            if message is None:
                continue
            content = spoken(getattr(message, "content", None))
            reasoning = getattr(message, "reasoning_content", None)  # some servers put the whole answer here
            if content:
                message.content = clean(content)
            elif getattr(message, "tool_calls", None):
                message.content = raw_text(response)  # for the ways of asking that read text only
            elif isinstance(reasoning, str) and clean(reasoning).lstrip().startswith("{"):
                message.content = clean(reasoning)


class InstructorModel:
    """Answers calls through instructor. Never raises from `ask` or `aask`: a failure is a reply.

    Sends no sampling parameters unless told to, drops a parameter that the endpoint rejects and remembers that.
    Nothing is streamed.

    Args:
        model: `provider/name` as in `instructor.from_provider`, e.g. `openai/gpt-5-mini`. With a ready client: the
            name to send; a client that has one needs none, but does not tell it, and reports then say `default`.
        client: A ready instructor client, synchronous or asynchronous; it stays the caller's to close.
        base_url: Endpoint to use instead of the provider's own, e.g. `http://127.0.0.1:8080/v1`.
        api_key: Key. Without it the provider's usual environment variable counts, but never for a `base_url`: a key
            for one endpoint is not sent to another.
        mode: How the shape of the answer is asked for: an `instructor.Mode` or its name, e.g. `json_schema`. None is
            JSON_SCHEMA with a `base_url`, which servers of open models enforce, and else the provider's default.
        timeout: Seconds a request may take.
        http_retries: How often the driver of a verification asks an endpoint again that is busy, fails or breaks off,
            0 or more; None is twice, and eight times while it is busy. Retry-After is honoured up to a minute. A ready
            client has its own way to do this.
        **create: Further parameters of every request, e.g. `temperature=0` or `seed=7`.

    Raises:
        JudgeError: If the model string, the endpoint or the client cannot be used.
        MissingExtraError: If instructor or openai is not installed.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        client: Any = None,
        base_url: str | None = None,
        api_key: str | None = None,
        mode: Mode | str | None = None,
        timeout: float = 60.0,
        http_retries: int | None = None,
        **create: Any,
    ) -> None:
        if create.get("stream"):
            raise JudgeError("stream=True is not supported: verification reads whole answers")
        if (http_retries is not None and http_retries < 0) or timeout <= 0:
            raise JudgeError("http_retries must be 0 or more, timeout must be positive")
        self._secrets = (api_key or "",)
        self._http_retries = http_retries
        self._create = create
        self._room = "max_tokens"  # the name under which this endpoint wants the limit; "" once it wants none
        self._dropped: set[str] = set()
        self._lock = Lock()  # protects the two above, which are learnt from rejections
        self._inherited: Any = None  # the client of the process that forked this one
        renewed_in_child(self, InstructorModel._renew)
        own = {"model": model, "base_url": base_url, "api_key": api_key, "mode": mode, "timeout": timeout}
        self._given = {**own, "http_retries": http_retries, **create}
        if client is None:
            self._connect: Callable[[], Any] | None = partial(_connected, model or "", base_url, api_key, mode, timeout)
            self._client: Any = self._connect()
            if "//api.openai.com/" in str(getattr(self._client.client, "base_url", "")):
                self._room = "max_completion_tokens"  # all its models take it, reasoning ones nothing else
            self._loop: PrivateLoop | None = PrivateLoop(closer(self._client))
            self._asynchronous = self._owned = True
            self._name, self._unnamed = str(model), ""
            return
        if base_url is not None or api_key is not None or mode is not None:
            raise JudgeError("base_url, api_key and mode belong to the client: set them where it is made")
        if not callable(getattr(client, "create_with_completion", None)):
            raise JudgeError(
                f"{type(client).__name__} is not an instructor client: wrap it, e.g. instructor.from_openai(client)"
            )
        self._client, self._connect, self._owned = client, None, False
        self._asynchronous = inspect.iscoroutinefunction(type(client).create_with_completion)
        self._loop = PrivateLoop() if self._asynchronous else None
        known = model or getattr(client, "kwargs", {}).get("model")
        if model:
            self._create = {"model": model, **create}
        provider = getattr(getattr(client, "provider", None), "value", "instructor")
        self._name = f"{provider}/{known or 'default'}"
        self._unnamed = "" if known else uuid4().hex  # nobody knows which model answers: share nothing with others

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments, the key among them: the copy in another process has connections of its own."""
        if self._connect is None:
            raise TypeError(f"{self._name} is asked through a client of the app, which cannot be pickled")
        return _restored, (self._given,)

    def _renew(self) -> None:
        """In a forked child: the connections are the parent's. A client that was given is the app's to make anew."""
        self._lock = Lock()
        if self._connect is not None and self._inherited is None:
            self._inherited = self._client  # kept: collecting it would close what is the parent's

    def _own_connections(self) -> None:
        if self._inherited is None or self._connect is None:
            return
        with self._lock:
            if self._inherited is not None and self._client is self._inherited:
                self._client = self._connect()
                self._loop = PrivateLoop(closer(self._client))

    def rerouted(self, route: Callable[[Any], None]) -> InstructorModel:
        """Returns the same model with a client of its own, for the event loop of the caller of `aask`."""
        if self._connect is None:
            raise JudgeError(f"{self._name} is asked through a client of the app, which is not changed: name the model")
        same = InstructorModel(**self._given)
        route(same._client.client)
        same._owned = False  # its requests belong to the caller's loop
        return same

    @property
    def name(self) -> str:
        """Provider and model, as shown in reports."""
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        """What may change an answer besides model and prompt: where it is asked, how, and the parameters sent.

        Holds no key: headers are left out, and so are credentials in an address.
        """
        client = self._client
        address = str(getattr(getattr(client, "client", None), "base_url", ""))
        mode = getattr(client, "mode", None)
        settings = {**(getattr(client, "kwargs", None) or {}), **self._create}
        return {
            "base_url": _CREDENTIALS.sub("//", address),
            "unnamed": self._unnamed,
            "mode": str(getattr(mode, "value", mode)),
            **{name: value for name, value in settings.items() if name not in _SECRET},
        }

    def ask(self, call: Call) -> Reply:
        """Answers a call; works in a thread with a running event loop too, which it blocks but does not use."""
        self._own_connections()
        if self._loop is not None:
            return self._loop.run(self._in_time(call))
        try:
            self._answered(call, _Attempts()).send(None)  # with a synchronous client it never waits
        except StopIteration as stop:
            reply: Reply = stop.value
            return reply
        raise RuntimeError(f"the client of {self._name} is not synchronous")

    async def aask(self, call: Call) -> Reply:
        """As `ask`, without blocking the event loop; cancelling it cancels the request where the client can."""
        if not self._asynchronous:
            return await asyncio.to_thread(self.ask, call)
        self._own_connections()
        if self._owned and self._loop is not None:
            return await self._loop.arun(self._in_time(call))
        return await self._in_time(call)

    async def _in_time(self, call: Call) -> Reply:
        attempts = _Attempts()
        try:
            return await asyncio.wait_for(self._answered(call, attempts), call.seconds)
        except TimeoutError:
            late = Failure("budget", "the time was over before the answer came")
            return Reply(failure=late, usage=Usage(calls=attempts.made))

    async def _answered(self, call: Call, attempts: _Attempts) -> Reply:
        """Sends the request, and again without what the endpoint rejects."""
        while True:
            optional = self._optional(call)
            try:
                with unlogged():
                    made = self._client.create_with_completion(
                        response_model=call.schema,
                        messages=[{"role": message.role, "content": message.content} for message in call.messages],
                        strict=False,  # a number where a string should be is no reason to pay for another answer
                        hooks=attempts.hooks,
                        **{"max_retries": 0, **optional},  # a judge keeps what is good and asks for the rest
                    )
                    value, completion = await made if self._asynchronous else made
            except Exception as error:  # noqa: BLE001 - every failure of a provider becomes a reply
                name = rejected_parameter(error, optional)
                if name is None or not self._give_up(name, error):
                    return self._failure(call, error, attempts)
            else:
                return Reply(value=value, usage=usage(getattr(completion, "usage", None), attempts.made))

    def _optional(self, call: Call) -> dict[str, Any]:
        with self._lock:
            room, dropped = self._room, set(self._dropped)
        optional = {name: value for name, value in self._create.items() if name not in dropped}
        if call.max_tokens is not None and room and not {"max_tokens", "max_completion_tokens"} & optional.keys():
            optional[room] = call.max_tokens + (_REASONING_ROOM if room == "max_completion_tokens" else 0)
        return optional

    def _give_up(self, name: str, error: Exception) -> bool:
        """Remembers that the endpoint rejects a parameter; returns whether asking without it makes sense."""
        if name == "model":
            return False
        renamed = name == "max_tokens" and not too_large(error)
        with self._lock:
            if name in self._create:
                self._dropped.add(name)
            elif name == self._room:  # else another call has learnt it since this one was sent
                self._room = "max_completion_tokens" if renamed else ""  # the newer name, or else no limit
        return True

    def _failure(self, call: Call, error: Exception, attempts: _Attempts) -> Reply:
        completion = getattr(error, "last_completion", None) or attempts.last
        text = raw_text(completion)
        spent = usage(getattr(error, "total_usage", None) or getattr(completion, "usage", None), attempts.made)
        failure = failure_of(error, self._secrets, completion)
        value = _parse(call.schema, text) if failure.kind == "invalid" and text else None
        if value is not None:
            return Reply(value=value, usage=spent)
        return Reply(
            failure=failure,
            text=text if failure.kind in {"invalid", "length"} else None,
            usage=spent,
            retry_after=None if self._connect is None else worth_repeating(error),
            retries=self._http_retries,
        )


def _connected(model: str, base_url: str | None, api_key: str | None, mode: Mode | str | None, timeout: float) -> Any:
    client = connect(model, base_url, api_key, mode)
    configure(client, timeout)
    return client


def _restored(given: dict[str, Any]) -> InstructorModel:
    return InstructorModel(**given)


def _parse(schema: type[BaseModel], text: str) -> BaseModel | None:
    written = document(text)
    try:
        return schema.model_validate_json(written) if written else None
    except ValidationError:
        return None
