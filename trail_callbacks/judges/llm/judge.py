"""A language model as judge: claims and verdicts in one call where it can be, every id and quote checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trail_callbacks.claims import Claim
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Assessment, Extraction, Purpose, Question, Search, SearchResult
from trail_callbacks.judges.prompts import digest
from trail_callbacks.models.call import Model, Pipeline

if TYPE_CHECKING:
    from trail_callbacks.evidence import Passage
    from trail_callbacks.judges.judge import Opinion, Survey
    from trail_callbacks.report.diagnosis import Facet

_MANY = 32  # claims of one call; more would need a reply longer than many models write
_PROMPTS = ("claims", "verdicts", "onepass", "localize", "answerable", "select", "decompose")


class LLMJudge:
    """Asks a language model.

    An answer that is not much longer than a screen costs one call, which finds its claims and judges them, if its
    sources fit into one reading; a longer one costs a call that finds the claims and, for each 32 of them, one that
    judges. Broken parts of a reply are asked for again once; what is then still missing is a judgement with `error`,
    never a default.

    Args:
        model: `provider/name` for `InstructorModel`, e.g. `openai/gpt-5-mini`; or a `Model`, such as the app's own
            chat model in an adapter's `as_model`; or a ready instructor client.
        base_url: Endpoint to use instead of the provider's own; with a string only.
        claims_per_call: Claims judged in one call, 1 or more. If given, claims are always found first and judged
            later: more calls, which smaller models may answer better.
        **options: Further settings of `InstructorModel`, e.g. `api_key`, `timeout`, `temperature`; `model_name` with a
            client that has no model of its own.

    Raises:
        JudgeError: If the model cannot be used.
        MissingExtraError: If instructor is needed and not installed.
    """

    def __init__(
        self,
        model: Model | str | Any,
        *,
        base_url: str | None = None,
        claims_per_call: int | None = None,
        **options: Any,
    ) -> None:
        if claims_per_call is not None and claims_per_call < 1:
            raise JudgeError(f"claims_per_call is {claims_per_call}, expected 1 or more")
        if isinstance(model, Model) and not isinstance(model, type):
            if base_url is not None or options:
                raise JudgeError(f"settings such as {next(iter(options), 'base_url')} belong to the model given")
            self._model: Model = model
        elif isinstance(model, str):
            self._model = _instructor_model(model, base_url=base_url, **options)
        elif callable(getattr(model, "create_with_completion", None)) and not isinstance(model, type):
            name = options.pop("model_name", None)
            self._model = _instructor_model(name, client=model, base_url=base_url, **options)
        else:
            raise JudgeError(
                f'{type(model).__name__} is no model: give "provider/name", a ready instructor client, or the chat '
                "model of your app wrapped with as_model() of langchain_trail or llama_index_trail"
            )
        self._at_once = claims_per_call is None
        self._claims_per_call = claims_per_call or _MANY

    @property
    def name(self) -> str:
        """`llm/`, the model's name, and a hash that changes with the prompts."""
        return f"llm/{self._model.name}/{digest(*_PROMPTS)}"

    @property
    def model(self) -> Model:
        """The model that answers this judge's calls."""
        return self._model

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer."""
        from trail_callbacks.judges.llm.claims import extract  # noqa: PLC0415 - building its schemas takes a while

        return extract(answer, question)

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages. See `Judge.assess`."""
        from trail_callbacks.judges.llm.verdicts import assess  # noqa: PLC0415 - as above

        return assess(questions, purpose, self._claims_per_call)

    def judge_answer(
        self, answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str = ""
    ) -> Pipeline[Opinion | None]:
        """Finds and judges the claims of an answer in one call. See `OnePass.judge_answer`."""
        from trail_callbacks.judges.llm.claims import judge_answer  # noqa: PLC0415 - as above

        return (yield from judge_answer(answer, question, passages, conversation)) if self._at_once else None

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Splits claims into simpler statements. See `Tracer.decompose`."""
        from trail_callbacks.judges.llm.pointing import decompose  # noqa: PLC0415 - as above

        return decompose(claims, self._claims_per_reading)

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[SearchResult, ...]]:
        """Points at evidence, reading each text once for all claims that need it. See `Tracer.select`."""
        from trail_callbacks.judges.llm.pointing import select  # noqa: PLC0415 - as above

        return select(searches, self._claims_per_reading)

    def survey(
        self,
        question: str,
        queries: Sequence[str],
        passages: Sequence[Passage],
        facets: Sequence[Facet] = (),
        conversation: str = "",
    ) -> Pipeline[Survey]:
        """Surveys what some passages have of what a question asks for. See `Surveyor.survey`."""
        from trail_callbacks.judges.llm.pointing import survey  # noqa: PLC0415 - as above

        return survey(question, queries, passages, facets, conversation)

    def seek(
        self, question: str, missing: str, queries: Sequence[str], conversation: str = ""
    ) -> Pipeline[tuple[str, ...]]:
        """Words queries for what a search did not bring. See `Seeker.seek`."""
        from trail_callbacks.judges.llm.pointing import seek  # noqa: PLC0415 - as above

        return seek(question, missing, queries, conversation)

    @property
    def _claims_per_reading(self) -> int:
        return 1 if self._claims_per_call == 1 else _MANY


def _instructor_model(*args: Any, **options: Any) -> Model:
    from trail_callbacks.models.instructor import InstructorModel  # noqa: PLC0415 - only some judges need it

    return InstructorModel(*args, **options)
