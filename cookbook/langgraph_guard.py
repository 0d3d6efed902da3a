"""LangGraph agent with a guard: an answer that its tools do not support is rewritten before anybody reads it.

Simulated here: the model. It calls the tool, writes a wrong height, and corrects it after the guard's feedback.
In your app replace MODEL by your model, `create_agent("openai:gpt-5-mini", ...)`; the guard stays as it is.

    pip install "trail-callbacks[langchain-agents]"
    python cookbook/langgraph_guard.py
"""

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_trail import TrailGuard

from trail_callbacks import Report


@tool
def look_up(place: str) -> str:
    """Looks up a place in the register of lighthouses."""
    return f"The lighthouse of {place} was rebuilt in 1543 and is 77 metres tall. It may be visited at weekends."


class Recorded(GenericFakeChatModel):
    def bind_tools(self, tools: object, **kwargs: object) -> "Recorded":  # real models do more here
        return self


REPLIES = [
    AIMessage("", tool_calls=[{"name": "look_up", "args": {"place": "Genoa"}, "id": "call-1"}]),
    AIMessage("The lighthouse of Genoa is 97 metres tall. It may be visited at weekends."),
    AIMessage("The lighthouse of Genoa is 77 metres tall. It may be visited at weekends."),
]
MODEL = Recorded(messages=iter(REPLIES))


def log(report: Report) -> None:
    """Called for every draft, including the rejected ones."""
    for claim in report.unsupported:
        verdict = report.verdict(claim.id)
        print(f"rejected: {claim.quote!r} is {verdict.support} ({verdict.error_type}): {verdict.evidence[0].quote!r}")


def main() -> None:
    # The offline judge, for a recipe that needs no key. After two retries the answer is withheld: exhausted="block".
    guard = TrailGuard(judge="local", on_fail="retry", max_retries=2, on_report=log)
    agent = create_agent(MODEL, [look_up], middleware=[guard])
    out = agent.invoke({"messages": [("user", "How tall is the lighthouse of Genoa, and may I visit it?")]})

    print("answer:  ", out["messages"][-1].text)
    trail = out["trail"]
    print(f"score:    {trail['hallucination_score']} after {trail['attempts']} attempts, blocked: {trail['blocked']}")
    print("messages:", [message.type for message in out["messages"]])  # without drafts and feedback


if __name__ == "__main__":
    main()
