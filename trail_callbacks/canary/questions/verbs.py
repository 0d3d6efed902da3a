"""English verbs back in their base form, for questions with `do`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import base

__all__ = ["base_form"]

_IRREGULAR: Final = """
become became; begin began; bear bore; blow blew; break broke; bring brought; build built; buy bought; catch caught;
choose chose; come came; deal dealt; draw drew; drink drank; drive drove; eat ate; fall fell; feed fed; feel felt;
fight fought; find found; fly flew; forget forgot; freeze froze; get got; give gave; go went; grow grew; hear heard;
hide hid; hold held; keep kept; know knew; lead led; leave left; lend lent; lose lost; make made; mean meant; meet met;
pay paid; ride rode; ring rang; rise rose; run ran; say said; see saw; seek sought; sell sold; send sent; shake shook;
shoot shot; sing sang; sink sank; sit sat; sleep slept; speak spoke; spend spent; stand stood; steal stole; strike
struck; swim swam; take took; teach taught; tell told; think thought; throw threw; understand understood; undergo
underwent; wear wore; win won; write wrote; arise arose; overcome overcame; undertake undertook; withdraw withdrew
"""
_MORE: Final = vocabulary(
    """abandon accelerate accept accuse acquire add admit adopt affect air allocate allow amend amount analyse
    analyze announce answer appear append apply appoint approve argue arrange arrive assemble assist attack
    attempt attend average award back bake ban beat begin believe belong bend blame boil book borrow break breed
    broadcast build buy calculate call cancel captain carry catch cease celebrate chair charge chase chop claim
    classify clean climb close coach collaborate collect combine commission compare compensate compete complete
    comprise conduct configure confirm consist construct contact contain continue contribute convict cook cool
    cost count cover crack create criticise criticize cross crush cure cut damage date debut declare decline
    decrease dedicate deepen defeat defend delay delete deliver demand demolish demonstrate deny depart deploy
    describe design destroy detect develop diagnose die direct disable disclose discover dismantle dismiss
    divide donate double doubt download drain draw drive drop dry earn elect email emerge employ empty enable
    enact end enjoy enlarge enrol enroll erect escape establish estimate evacuate examine exceed exchange expand
    expect export extend fail fall fear feed fill film filter finance find finish flood fold follow forbid
    forecast forget found freeze fund gain gather graduate greet grind group grow guard guess halve happen harm
    harvest hate head heal heat help hide hire hit hold hope host house identify illustrate import inaugurate
    include increase infect inform inherit injure insert insist inspect install insure interview introduce
    invade intend invent invest investigate invite join jump kill label land last launch lead lean lease lend license
    lift like limit list live load locate lock look lose love lower maintain manage manufacture map mark marry
    measure melt mention merge migrate mix move name narrow nominate note notice notify number oblige observe
    occur open operate oppose order organise organize originate owe own pack paint participate pass pause
    perform permit phone photograph plan plant play polish post postpone pour praise predict prescribe print
    produce prohibit promote propose protect prove publish pull pump purchase push qualify question race raise
    rank rate ratify reach rebuild recall receive reconstruct record recover recruit refund refuse register
    regulate reimburse release relocate remember remove renovate rent reopen repair repay repeal replace reply
    report request require rescue research reserve resign resolve restore restrict resume retire return reveal
    review revise ride rise roast rotate run sack sail save schedule score seal seem sell serve settle share
    shift ship shorten shrink shut sign sink slice slip slow smell solve sort sound specialise spin split
    sponsor spray spread sprinkle stamp start stock stop store stream stretch study subsidise subsidize succeed
    sue suffer support surge survive suspend swap swim taste teach tear tell test thank tilt title top total
    trade train transfer translate transport travel treat triple trust try turn uncover unload unlock unveil
    update upgrade upload use vaccinate verify visit volunteer wait walk warn wash watch weigh welcome widen win"""
)
_SAME: Final = frozenset({"cost", "cut", "hit", "hurt", "let", "put", "read", "set", "shut", "split", "spread"})


@cache
def _past() -> dict[str, str]:
    pairs = (line.split() for line in _IRREGULAR.replace("\n", " ").split(";"))
    return {form: word for word, form in pairs}


def base_form(form: str) -> tuple[str, str] | None:
    """Says how a finite form is asked with: `took` as `did ... take`.

    Args:
        form: A case-folded form in the present or past, no auxiliary.

    Returns:
        The form of `do` and the base form; None if it is not certain.
    """
    if form in _past():
        return "did", _past()[form]
    if form.endswith("ed"):
        found = next((each for each in _unpast(form) if _is_verb(each)), None)
        return ("did", found) if found else None
    if form.endswith("s") and (found := next((each for each in _singular(form) if _is_verb(each)), None)):
        return "does", found
    return ("do", form) if _is_verb(form) and form not in _SAME else None


def _is_verb(word: str) -> bool:
    return base(word) or word in _past().values() or word in _SAME or word in _MORE


def _unpast(form: str) -> Iterator[str]:
    yield form[:-1]  # `used`
    yield form[:-2]  # `opened`
    if form.endswith("ied"):
        yield form[:-3] + "y"
    if len(form) > 4 and form[-3] == form[-4]:  # noqa: PLR2004 - `planned`
        yield form[:-3]


def _singular(form: str) -> Iterator[str]:
    yield form[:-1]
    if form.endswith("ies"):
        yield form[:-3] + "y"
    if form.endswith("es"):
        yield form[:-2]
