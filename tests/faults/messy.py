"""Messy pipelines in seven languages with a known fault each: fallbacks, wrappers, budgets, revisions, follow-ups.

The apps are real LangChain and LlamaIndex ones with a scripted retriever and model. `Reader` is no measured model: it is
the planted truth in the place of a good judge, and knows a follow-up's subject only from the conversation.
"""

# ruff: noqa: RUF001 - the letters of other languages

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_faults import Without
from langchain_trail import TrailCallbackHandler
from llama_index.core import Settings, get_response_synthesizer
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import CondenseQuestionChatEngine
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever as NodeRetriever
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index_faults import Best, Shortened
from llama_index_faults import Without as WithoutNodes
from llama_index_trail import trail

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question, Survey
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report.diagnosis import Facet, Signature
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.trace import Trace

# question, what answers it, the same of a year, what is beside it, a refusal, and a question that follows up
_WORDS = {
    "en": ("What is the limit of {s}?", "The limit of {s} is {v} kW.", "Since {y} the limit of {s} is {v} kW.",
           "{s} stands beside the old mill.", "I could not find that.", "And what is its limit?"),
    "de": ("Welchen Grenzwert hat {s}?", "Der Grenzwert von {s} beträgt {v} kW.",
           "Seit {y} beträgt der Grenzwert von {s} {v} kW.", "{s} steht neben der alten Mühle.",
           "Das konnte ich nicht finden.", "Und welchen Grenzwert hat sie?"),
    "fr": ("Quelle est la limite de {s} ?", "La limite de {s} est de {v} kW.",
           "Depuis {y}, la limite de {s} est de {v} kW.", "{s} se trouve près du vieux moulin.",
           "Je n'ai pas trouvé cela.", "Et quelle est sa limite ?"),
    "es": ("¿Cuál es el límite de {s}?", "El límite de {s} es de {v} kW.", "Desde {y} el límite de {s} es de {v} kW.",
           "{s} está junto al viejo molino.", "No pude encontrarlo.", "¿Y cuál es su límite?"),
    "ru": ("Каков предел {s}?", "Предел {s} равен {v} кВт.", "С {y} года предел {s} равен {v} кВт.",
           "{s} стоит у старой мельницы.", "Я не нашёл этого.", "А каков её предел?"),
    "ja": ("{s}の上限は何ですか。", "{s}の上限は{v}kWです。", "{y}年から{s}の上限は{v}kWです。",
           "{s}は古い水車の隣にあります。", "見つかりませんでした。", "その上限は何ですか。"),
    "zh": ("{s}的上限是多少？", "{s}的上限是{v}千瓦。", "自{y}年起{s}的上限是{v}千瓦。",
           "{s}位于旧磨坊旁边。", "我没有找到。", "它的上限是多少？"),
}  # fmt: skip
_SUBJECTS = ("E24", "Anlage 4.1.2", "Kestrel One", "Weiche Nord", "K-7", "Orvik B")


class Ranked(BaseRetriever):
    """Brings documents in a given order."""

    texts: list[str]
    k: int = 3

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(text, id=f"d{n}") for n, text in enumerate(self.texts[: self.k])]


class Broken(Ranked):
    """Has lost its index."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise ConnectionError("no index")


class Same(BaseDocumentCompressor):
    """Changes nothing."""

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: Any = None) -> Any:
        return documents


class Nodes(NodeRetriever):
    """As `Ranked`, for LlamaIndex."""

    def __init__(self, texts: Sequence[str], similarity_top_k: int) -> None:
        self.texts, self.similarity_top_k = texts, similarity_top_k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        texts = self.texts[: self.similarity_top_k]
        return [NodeWithScore(node=TextNode(text=text, id_=f"d{n}"), score=1 / (n + 1)) for n, text in enumerate(texts)]


class Says(CustomLLM):
    """Says one thing after the other."""

    answers: list[str]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", context_window=100_000)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:
        yield self.complete(prompt)


@dataclass
class Messy:
    """One case: its signature, stage and step (`at`), documents in the order in which any query brings them."""

    name: str
    truth: Signature
    at: str
    docs: list[str]
    right: list[str]  # lines that answer the question as asked
    answer: str
    said: list[str] = field(default_factory=list)  # lines that say what the answer says
    question: str = ""
    subject: str = ""
    earlier: str = ""
    rewritten: str = ""
    declines: bool = False
    k: int = 3
    framework: str = "langchain"
    wrap: Callable[[Any], Any] = lambda retriever: retriever
    pack: Callable[[list[str]], str] = "\n\n".join
    posts: Sequence[Any] = ()
    mode: str = "compact"

    def retriever(self) -> Any:
        """The app's own retriever, as it would be asked."""
        return Ranked(texts=self.docs, k=self.k) if self.framework == "langchain" else Nodes(self.docs, self.k)

    def played(self) -> Trace:
        """Runs the app and returns what was recorded."""
        return langchain(self) if self.framework == "langchain" else llama_index(self)


def langchain(case: Messy) -> Trace:
    """Runs a case in LangChain."""

    def pack(documents: list[Document]) -> str:
        return case.pack([each.page_content for each in documents])

    rewriting = GenericFakeChatModel(messages=iter([AIMessage(case.rewritten)]))
    retriever = case.wrap(Ranked(texts=case.docs, k=case.k))
    history = [HumanMessage(case.earlier), AIMessage("OK.")] if case.earlier else []
    turns = [MessagesPlaceholder("history"), ("human", "{question}")]
    query: Any = RunnableLambda(lambda x: x["question"]).with_config(run_name="ask")
    if case.rewritten:
        query = ChatPromptTemplate.from_messages([("system", "Reword."), *turns]) | rewriting | StrOutputParser()
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n\n{context}"), *turns])
    model = GenericFakeChatModel(messages=iter([AIMessage(case.answer)]))
    chain = RunnablePassthrough.assign(context=query | retriever | RunnableLambda(pack)) | prompt | model
    handler = TrailCallbackHandler(evaluate="never")
    chain.invoke({"question": case.question, "history": history}, config={"callbacks": [handler]})
    return handler.trace()


def llama_index(case: Messy) -> Trace:
    """Runs a case in LlamaIndex."""
    Settings.tokenizer = str.split
    llm = Says(answers=[each for each in (case.rewritten, case.answer) if each])
    engine: Any = RetrieverQueryEngine(
        case.wrap(Nodes(case.docs, case.k)), get_response_synthesizer(llm, response_mode=case.mode), list(case.posts)
    )
    with trail(evaluate="never") as recording:
        if case.earlier:
            history = [ChatMessage(role="user", content=case.earlier), ChatMessage(role="assistant", content="OK.")]
            memory = ChatMemoryBuffer.from_defaults(chat_history=history, llm=llm)
            CondenseQuestionChatEngine.from_defaults(engine, llm=llm, memory=memory).chat(case.question)
        else:
            engine.query(case.question)
    return recording.trace


def cases(seed: int) -> Iterator[Messy]:
    """The cases, with subjects, values and languages by seed."""
    random = Random(f"messy/{seed}")  # noqa: S311 - a seed
    for n, case in enumerate(_cases()):
        lang = list(_WORDS)[(n + seed) % len(_WORDS)]
        subject, other = random.sample(_SUBJECTS, 2)
        v, w = random.sample(range(30, 90), 2)
        question, line, dated, beside, refusal, follow = _WORDS[lang]
        known = {
            "Q": question.format(s=subject), "F": follow, "R": line.format(s=subject, v=v), "N": refusal,
            "W": line.format(s=subject, v=w), "NEW": dated.format(s=subject, v=v, y=2024), "X": beside.format(s=subject),
            "OLD": dated.format(s=subject, v=w, y=2019), "O": line.format(s=other, v=w), "V": str(v),
            "P": beside.format(s=other), "OQ": question.format(s=other), "S": subject,
        }  # fmt: skip

        def put(value: Any, known: dict[str, str] = known) -> Any:
            if isinstance(value, list):
                return ["\n".join(known[key] for key in each.split("+")) for each in value]
            return known.get(value, value)

        texts = {k: put(getattr(case, k)) for k in ("docs", "right", "said", "answer", "earlier", "rewritten")}
        made = replace(case, **texts, subject=subject, question=put(case.question or "Q"), name=f"{case.name} ({lang})")
        if case.name.startswith("reranker"):
            made.wrap = lambda r, words=known["R"]: ContextualCompressionRetriever(
                base_compressor=Without(words=words), base_retriever=r
            )
        made.posts = [each(known["R"]) if callable(each) else each for each in case.posts]
        yield made


def _cases() -> Iterator[Messy]:
    two = ["R", "X", "P"]
    far = ["X", "O", "P", "R"]
    lost = ["X", "O", "P"]
    same = lambda r: ContextualCompressionRetriever(base_compressor=Same(), base_retriever=r)  # noqa: E731
    index: Any = {"framework": "llama_index"}
    fused = lambda r: QueryFusionRetriever([r], num_queries=1, similarity_top_k=9, llm=Says(answers=[""]))  # noqa: E731

    def first(texts: list[str]) -> str:  # a budget that one passage fills
        return texts[0]

    yield Messy("right", "none", "", two, ["R"], "R", ["R"])
    yield Messy("right behind a wrapper", "none", "", two, ["R"], "R", ["R"], wrap=same)
    yield Messy("right of two revisions", "none", "", ["OLD", "NEW", "X"], ["NEW"], "NEW", ["NEW"])
    yield Messy("right follow-up", "none", "", two, ["R"], "R", ["R"], question="F", earlier="X", rewritten="Q")
    yield Messy("follow-up loses its subject", "rewrite_loss", "query", ["O", "P", "P", "R"], ["R"], "O",
                question="F", earlier="X", rewritten="OQ")  # fmt: skip
    yield Messy("fallback for a failed retriever", "recall_failure", "retrieval Broken", far, ["R"], "W",
                wrap=lambda r: Broken(texts=[]).with_fallbacks([r]))  # fmt: skip
    yield Messy("too few", "recall_failure", "retrieval", far, ["R"], "W")
    yield Messy("too few, declined", "recall_failure", "retrieval", far, ["R"], "N", declines=True)
    yield Messy("gap, asserted", "should_have_abstained", "generation", lost, ["R"], "W")
    yield Messy("gap, declined", "none", "", lost, ["R"], "N", declines=True)
    yield Messy("nothing retrieved, declined", "recall_failure", "retrieval", far, ["R"], "N", declines=True, k=0)
    yield Messy("reranker drops it", "selection_failure", "reranking ContextualCompressionRetriever", two, ["R"], "W")
    yield Messy("budget leaves the newer out", "selection_failure", "packing pack", ["OLD", "NEW"], ["NEW"], "OLD",
                ["OLD"], pack=first)  # fmt: skip
    yield Messy("wrapper, and a budget", "selection_failure", "packing pack", ["X", "R"], ["R"], "W", wrap=same,
                pack=first)  # fmt: skip
    yield Messy("packer cuts", "truncation", "packing pack", ["X+P+P+R", "O"], ["R"], "W",
                pack=lambda texts: "\n".join(text[: len(text) * 2 // 5] for text in texts))  # fmt: skip
    yield Messy("two revisions without a date", "source_conflict", "sources", ["R", "W", "X"], ["R", "W"], "R", ["R"])
    yield Messy("superseded, both read", "grounding_failure", "generation", ["OLD", "NEW"], ["NEW"], "OLD", ["OLD"])
    yield Messy("misread", "grounding_failure", "generation", two, ["R"], "W")
    yield Messy("wrongly declined", "grounding_failure", "generation", two, ["R"], "N", declines=True)
    yield Messy("known though dropped", "right_by_memory", "packing pack", ["X", "R"], ["R"], "R", ["R"], pack=first)
    yield Messy("refined, right", "none", "", two, ["R"], "V", ["R"], mode="refine", **index)
    yield Messy("refined, misread", "grounding_failure", "generation", two, ["R"], "W", mode="refine", **index)
    yield Messy("postprocessors leave nothing", "selection_failure", "reranking Best", two, ["R"], "N", declines=True,
                posts=[Best(number=0)], **index)  # fmt: skip
    yield Messy("postprocessor cuts", "truncation", "reranking Shortened", ["X+P+P+R", "O"], ["R"], "W",
                posts=[Shortened(room=6)], **index)  # fmt: skip
    yield Messy("fusion of one, then a cutoff", "selection_failure", "reranking Best", ["X", "P", "R"], ["R"], "W",
                wrap=fused, posts=[Best(number=2)], **index)  # fmt: skip
    yield Messy("postprocessor drops it", "selection_failure", "reranking Without", two, ["R"], "W",
                posts=[lambda words: WithoutNodes(words=words)], **index)  # fmt: skip
    yield Messy("empty index answer", "recall_failure", "retrieval", far, ["R"], "N", declines=True, k=0, **index)
    yield Messy("right chat", "none", "", two, ["R"], "R", ["R"], question="F", earlier="X", rewritten="Q", **index)
    yield Messy("gap", "should_have_abstained", "generation", lost, ["R"], "W", **index)
    yield Messy("too few nodes", "recall_failure", "retrieval", far, ["R"], "W", **index)


class Reader:
    """The planted truth of a case as a judge; see the module."""

    name, model, reads_whole = "planted reader", None, True

    def __init__(self, case: Messy) -> None:
        self._case = case

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """The answer is one claim, or declines."""
        yield from ()
        states = not self._case.declines
        claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer), checkable=states)
        return Extraction(claims=(claim,), abstained=not states)

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Lines that say it support, other lines that answer contradict."""
        yield from ()
        return Assessment(judgements=tuple(self._judged(each, purpose) for each in questions))

    def _judged(self, asked: Question, purpose: Purpose) -> Judgement:
        said = self._case.right if purpose == "answerable" else self._case.said
        held = tuple(quoted(p, "supports") for p in asked.passages if p.text.strip() in said)
        against = () if purpose != "verdicts" else tuple(
            quoted(p, "contradicts") for p in asked.passages if p.text.strip() in set(self._case.right) - set(said)
        )  # fmt: skip
        support = SupportClass.SUPPORTED if held else SupportClass.CONTRADICTED if against else SupportClass.ABSENT
        error = None if held else ErrorType.NUMBER if against else ErrorType.OTHER
        return Judgement(claim_id=asked.claim.id, support=support, error_type=error, evidence=held + against)

    def survey(
        self, question: str, queries: Sequence[str], passages: Sequence[Passage], facets: Sequence[Facet] = (),
        conversation: str = "",
    ) -> Pipeline[Survey]:  # fmt: skip
        """Subject and property; nothing answers a question whose subject is not told."""
        yield from ()
        told = self._case.subject in question + conversation
        right = [p for p in passages if p.text.strip() in self._case.right and told]
        return Survey(
            facets=(Facet(id="f1", text=self._case.subject, kind="entity"), Facet(id="f2", text="limit")),
            met={"f1": tuple(p for p in passages if self._case.subject in p.text and told), "f2": tuple(right)},
            in_query={"f1": any(self._case.subject in each for each in queries), "f2": True},
            answers=tuple((p,) for p in right),
            missing="" if right else "the limit",
        )
