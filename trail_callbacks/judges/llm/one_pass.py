"""Claims and verdicts of a short answer from one reply of a model, each checked as if it had been asked for alone."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.claims import split
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Extraction, Opinion, Question
from trail_callbacks.judges.llm.asking import watched
from trail_callbacks.judges.llm.claims import ROOM, found, gathered, numbered
from trail_callbacks.judges.llm.layout import NOBODY, passage_lines, told
from trail_callbacks.judges.llm.schema import OnePassItem, OnePassReply, VerdictsReply, own
from trail_callbacks.judges.llm.verdicts import dropped, read, shown_texts
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.models.tokens import count

_SCREEN = 800  # tokens of an answer that is judged at once; of a longer one models skip claims
_MOST = 64  # claims that the schema has room for
_VERDICT = 160  # tokens of a reply for each verdict
_HOPELESS = frozenset({"unreachable", "unauthorised", "busy", "budget", "failed"})  # asking otherwise changes nothing


def judge_answer(
    answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str
) -> Pipeline[Opinion | None]:
    """Finds and judges the claims of an answer in one call. See `OnePass.judge_answer`."""
    if count(answer) > _SCREEN or len(split(answer)) > _MOST:
        return None
    blank = Question(claim=NOBODY, passages=passages, asked=question or "", answer=answer, conversation=conversation)
    cut: list[str] = []
    reply = yield from watched(_asked(_call(blank)), cut)
    if reply.failure is not None and reply.failure.kind in _HOPELESS:
        return Opinion(extraction=Extraction(claims=(), error=str(reply.failure)), warnings=tuple(cut))
    if reply.failure is not None or not isinstance(reply.value, OnePassReply) or len(reply.value.claims) == _MOST:
        return None
    return _opinion(blank, reply.value, cut)


def _asked(call: Call) -> Pipeline[Reply]:
    (reply,) = yield [call]
    return reply


def _call(asked: Question) -> Call:
    evidence = passage_lines({passage.id: passage for passage in asked.passages})
    return Call(
        messages=load("onepass").messages(
            passages=Fence(evidence).block("PASSAGES", evidence), **told([asked], evidence)
        ),
        schema=OnePassReply,
        purpose="onepass",
        max_tokens=ROOM + len(asked.answer.encode("utf-8", "replace")) + _VERDICT * max(8, len(split(asked.answer))),
    )


def _opinion(blank: Question, reply: OnePassReply, cut: list[str]) -> Opinion | None:
    answer = blank.answer
    genuine = own(reply.claims, shown_texts([("", blank)]), OnePassItem)
    items = [item if item.claim.strip() else item.model_copy(update={"claim": item.quote}) for item in genuine]
    listed = found(blank, items, abstained=reply.abstained)
    if listed is None:
        return None
    claims = numbered(listed.placed, answer)
    # A claim that was reworded since says something else than what was judged.
    written = {id(item) for item in items}
    judged = [claim for claim, item in claims if claim.checkable and id(item) in written]
    keys = {(claim.start, claim.text.casefold()): claim.id for claim in judged}
    said = [
        (keys.get((start, " ".join(item.claim.split()).casefold())), item)
        for start, _, item in listed.placed
        if id(item) in written
    ]
    verdicts = read(
        [(claim.id, replace(blank, claim=claim)) for claim in judged],
        Reply(
            value=VerdictsReply.model_construct(
                verdicts=[item.verdict(key) for key, item in said if key and isinstance(item, OnePassItem)]
            )
        ),
        "verdicts",
    )
    verdicts.dropped["echoed"] += len(reply.claims) - len(items)
    return Opinion(
        extraction=gathered([listed], answer),
        judged=verdicts.judged,
        warnings=(*cut, *dropped(verdicts.dropped)),
    )
