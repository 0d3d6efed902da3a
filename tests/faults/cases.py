"""Pipelines of retrieval-augmented generation with one planted fault each.

Every case says which documents are indexed, how the query is rewritten, how many passages are retrieved, kept, and how
much of them fits the prompt, and what the model answers. Whatever happens in between is done by the framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from world import DECLINES, FILLER, KINDS, VAGUE, Fact, World

from trail_callbacks.report.diagnosis import Signature

LANGUAGES = ("en", "de")


@dataclass
class Plan:
    """One case.

    Attributes:
        signature: What was planted.
        variant: How.
        world: The subjects.
        asked: The fact that the question asks for.
        documents: What is indexed.
        answer: What the model says.
        rewritten: The query that is sent instead of the question.
        embedded: The query is rewritten for the embedding only, as hypothetical documents are, where a framework can.
        k: Number of passages that are retrieved.
        drop: A word that a reranker throws passages out by.
        keep: Number of passages that are kept after it; None for all.
        room: Words of each passage that fit the prompt; None for all.
        gold: Passages that ought to be retrieved, as the caller knows; None if nobody knows.
        reference: What the caller knows to be true.
        retrieves: False for an app without a retriever.
        asks: The caller lets the retriever be asked.
    """

    signature: Signature
    variant: str
    world: World
    asked: Fact
    documents: list[str]
    answer: str
    rewritten: str | None = None
    embedded: bool = False
    k: int = 4
    drop: str | None = None
    keep: int | None = None
    room: int | None = None
    gold: tuple[str, ...] | None = None
    reference: str = ""
    retrieves: bool = True
    asks: bool = False
    blind: bool = field(default=False)

    @property
    def question(self) -> str:
        """The user's request."""
        return self.world.question(self.asked)


Planter = Callable[[World, Fact, Random], Plan]
PLANTERS: dict[Signature, list[Planter]] = {}


def planter(signature: Signature) -> Callable[[Planter], Planter]:
    """Registers a way to plant a fault."""

    def register(function: Planter) -> Planter:
        PLANTERS.setdefault(signature, []).append(function)
        return function

    return register


def cases(each: int, seed: int = 0) -> Iterator[Plan]:
    """Yields `each` plans for every signature, over kinds of subjects, languages and ways to plant the fault."""
    for signature, planters in PLANTERS.items():
        for n in range(each):
            random = Random(f"{seed}/{signature}/{n}")  # noqa: S311 - a seed
            kinds = list(KINDS)
            world = World(kinds[n % len(kinds)], LANGUAGES[(n // len(kinds)) % 2], random)
            asked = world.facts[random.choice(world.subjects), random.choice(world.properties)]
            plan = planters[n % len(planters)](world, asked, random)
            plan.signature = signature
            random.shuffle(plan.documents)
            yield plan


def everything(world: World, without: Callable[[Fact], bool] = lambda _: False) -> list[str]:
    """A document for each fact, with padding that makes passages of several lines."""
    return [f"{world.sentence(fact)}\n{FILLER[world.language]}" for fact in world.facts.values() if not without(fact)]


def gold_of(world: World, asked: Fact) -> str:
    """The passage that answers."""
    return f"{world.sentence(asked)}\n{FILLER[world.language]}"


def wrong(world: World, asked: Fact) -> str:
    """An invented answer."""
    return world.sentence(world.other(asked))


@planter("none")
def right(world: World, asked: Fact, _: Random) -> Plan:
    """All is well."""
    return Plan("none", "right", world, asked, everything(world), world.sentence(asked))


@planter("none")
def rightly_declined(world: World, asked: Fact, _: Random) -> Plan:
    """Nothing in the corpus answers, and the answer says so."""
    documents = everything(world, lambda fact: fact == asked)
    return Plan("none", "rightly declined", world, asked, documents, DECLINES[world.language], k=8, gold=())


@planter("rewrite_loss")
def rewritten(world: World, asked: Fact, random: Random) -> Plan:
    """The rewriter drops the subject, so that passages about others are found."""
    others = everything(world, lambda fact: fact.subject == asked.subject)
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    query = VAGUE[world.kind][world.language]
    found = [f"{query}. {text}" for text in random.sample(others, 6)]
    return Plan(
        "rewrite_loss",
        "subject dropped",
        world,
        asked,
        [*found, gold_of(world, asked)],
        answer,
        rewritten=query,
        embedded=random.random() < 0.5,
    )


@planter("recall_failure")
def other_subjects(world: World, asked: Fact, random: Random) -> Plan:
    """Nothing about the subject is in reach of the retriever."""
    documents = everything(world, lambda fact: fact.subject == asked.subject)
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    return Plan("recall_failure", "other subjects", world, asked, documents, answer)


@planter("recall_failure")
def too_few(world: World, asked: Fact, _: Random) -> Plan:
    """Passages of the subject are found, but so few are taken that the one that answers is not among them."""
    nearer = [world.question(asked), f"{world.question(asked)} ..."]
    documents = [*nearer, *everything(world)]
    return Plan("recall_failure", "too few", world, asked, documents, wrong(world, asked), k=2, asks=True)


@planter("recall_failure")
def known_gold(world: World, asked: Fact, random: Random) -> Plan:
    """The caller knows the passage that ought to be found, and it is not."""
    documents = everything(world, lambda fact: fact == asked)
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    return Plan("recall_failure", "known gold", world, asked, documents, answer, gold=("gold",))


@planter("selection_failure")
def reranked_away(world: World, asked: Fact, random: Random) -> Plan:
    """A reranker throws out the passage that answers."""
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    return Plan("selection_failure", "reranker", world, asked, everything(world), answer, drop=world.sentence(asked))


@planter("selection_failure")
def cut_off(world: World, asked: Fact, random: Random) -> Plan:
    """It ranks below the number that is kept."""
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    query = world.question(asked)
    nearer = [query, f"{query} ...", f"- {query}"]  # no passage is nearer to a question than the question
    return Plan("selection_failure", "cutoff", world, asked, [*nearer, *everything(world)], answer, k=6, keep=3)


@planter("truncation")
def truncated(world: World, asked: Fact, random: Random) -> Plan:
    """The fact stands in the part of its passage that does not fit the prompt."""
    padding = "\n".join([world.question(asked), FILLER[world.language], FILLER[world.language]])
    gold = f"{padding}\n{world.sentence(asked)}"
    rest = random.sample(everything(world, lambda fact: fact.subject == asked.subject), 6)
    answer = random.choice([wrong(world, asked), DECLINES[world.language]])
    return Plan("truncation", "cut", world, asked, [*rest, gold], answer, room=18)


@planter("grounding_failure")
def misread(world: World, asked: Fact, _: Random) -> Plan:
    """The prompt has the answer, and the model says something else."""
    return Plan("grounding_failure", "wrong value", world, asked, everything(world), wrong(world, asked))


@planter("grounding_failure")
def wrongly_declined(world: World, asked: Fact, _: Random) -> Plan:
    """The prompt has the answer, and the model declines."""
    return Plan("grounding_failure", "declined", world, asked, everything(world), DECLINES[world.language])


@planter("source_conflict")
def disagreeing(world: World, asked: Fact, random: Random) -> Plan:
    """Two passages in the prompt give different values."""
    other = world.other(asked)
    documents = [*everything(world), f"{world.sentence(other)}\n{FILLER[world.language]}"]
    answer = world.sentence(random.choice([asked, other]))
    return Plan("source_conflict", "two values", world, asked, documents, answer, k=6)


@planter("right_by_memory")
def known_though_dropped(world: World, asked: Fact, _: Random) -> Plan:
    """The passage was dropped, and the model says all the same what it says."""
    documents, answer = everything(world), world.sentence(asked)
    return Plan("right_by_memory", "dropped", world, asked, documents, answer, drop=world.sentence(asked))


@planter("right_by_memory")
def known_by_reference(world: World, asked: Fact, _: Random) -> Plan:
    """Nothing that was retrieved says it, and the caller knows that it is right."""
    documents, answer = everything(world, lambda fact: fact == asked), world.sentence(asked)
    return Plan("right_by_memory", "reference", world, asked, documents, answer, reference=world.sentence(asked))


@planter("should_have_abstained")
def unanswerable(world: World, asked: Fact, _: Random) -> Plan:
    """Passages about the subject were found, none answers, the index has no other, and the model asserts."""
    documents = everything(world, lambda fact: fact == asked)
    return Plan("should_have_abstained", "no passage answers", world, asked, documents, wrong(world, asked), asks=True)


@planter("should_have_abstained")
def known_unanswerable(world: World, asked: Fact, _: Random) -> Plan:
    """The caller knows that nothing in the corpus answers."""
    documents = everything(world, lambda fact: fact == asked)
    return Plan("should_have_abstained", "known", world, asked, documents, wrong(world, asked), gold=())


@planter("undetermined")
def without_retrieval(world: World, asked: Fact, _: Random) -> Plan:
    """No retrieval was recorded, and the answer has no source."""
    return Plan("undetermined", "no retrieval", world, asked, [], wrong(world, asked), retrieves=False)


@planter("undetermined")
def blind_judge(world: World, asked: Fact, _: Random) -> Plan:
    """The judge decides nothing, and no figure shows a break."""
    return Plan("undetermined", "blind judge", world, asked, everything(world), wrong(world, asked), blind=True)
