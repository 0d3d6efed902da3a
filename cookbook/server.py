"""A server: requests at the same time, each with the report on its own answer, found by the id of its run.

Simulated here: the model (recorded answers, every second one wrong), the search and the clients. The server is real, on
a Unix socket. In a web framework `ask` and `report` are two routes; with LlamaIndex use `await areport_for(response)`.

    pip install "trail-callbacks[langchain]"
    python cookbook/server.py
"""

import asyncio
import json
from contextlib import closing
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from langchain_core.language_models import SimpleChatModel
from langchain_core.prompts import PromptTemplate
from langchain_trail import TrailCallbackHandler

SEATS = {"Aster": 120, "Birch": 140, "Cedar": 160, "Dahlia": 180}
LOG: asyncio.Queue[Any] = asyncio.Queue()


class Recorded(SimpleChatModel):
    _llm_type = "recorded"

    def _call(self, messages: list[Any], *args: Any, **kwargs: Any) -> str:
        hall = next(hall for hall in SEATS if f"into {hall}" in messages[-1].text)
        return f"{hall} seats {SEATS[hall] + (500 if hall in {'Birch', 'Dahlia'} else 0)} people."


CHAIN = PromptTemplate.from_template("{context}\n\n{question}") | Recorded()
HANDLER = TrailCallbackHandler(on_report=LOG.put, sources={"context"})  # awaits LOG.put in the server's own loop


async def ask(question: str) -> dict[str, Any]:
    context, run_id = [f"{hall} seats {n} people." for hall, n in SEATS.items()], uuid4()
    config = {"callbacks": [HANDLER], "run_id": run_id}
    reply = await CHAIN.ainvoke({"context": context, "question": question}, config)
    return {"answer": reply.text, "run_id": str(run_id)}  # at once: verification goes on in the background


async def report(run_id: str) -> dict[str, Any]:
    return (await HANDLER.areport(run_id, timeout=30)).summary()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    route, given = json.loads(await reader.readline())
    with closing(writer):
        writer.write(json.dumps(await {"ask": ask, "report": report}[route](given)).encode() + b"\n")


async def main() -> None:
    async def request(*call: str) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(json.dumps(call).encode() + b"\n")
        with closing(writer):
            return json.loads(await reader.readline())

    with TemporaryDirectory() as folder:
        async with await asyncio.start_unix_server(serve, path := f"{folder}/socket"):
            replies = await asyncio.gather(*(request("ask", f"How many fit into {hall}?") for hall in SEATS))
            for reply, found in [(each, await request("report", each["run_id"])) for each in replies]:
                print(reply["answer"], found["hallucination_score"], *(c["evidence"] for c in found["unsupported"]))
    print(f"logged: {[(await LOG.get()).state for _ in replies]}")


if __name__ == "__main__":
    asyncio.run(main())
