"""English verbs: which word of a clause is the finite one, and its base form, for questions with `do`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import DETERMINERS, PREPOSITIONS, Token, base, first_verb, is_finite, past

__all__ = ["SAME", "base_form", "finite_verb", "may_be_finite"]

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
    """abandon accelerate account accredit accumulate accuse acknowledge activate administer admit advertise advise
    affect air align allocate amend amount amplify analyse analyze annoy append appoint appreciate approximate
    arrange arrive assemble assign associate assume attach attempt attend attract attribute author await award
    ban beat believe bend bill bind blame blister board book borrow bother breed brighten broadcast burn
    calculate cancel cap captain caption categorize cater cease celebrate certify chair characterise
    characterize charge chase check chew chill chop circulate cite classify clean clear climb coach coat coil
    coincide collaborate collapse collide comment commission compare compel compensate compile complain complete
    comply compose compost compress compute concede conceive concern conclude condemn condense conduct configure
    confine confront construct consume contact contend contest contrast convey convict convince coordinate cope
    correct correlate correspond corrode count crack craft credit criticise criticize crush curb cure damage
    debate debut decay decline decrease dedicate deduct deepen defeat defend defer defy degrade delay delete
    demand demolish demonstrate deny depart depict deploy deposit descend deserve destroy detect determine
    deviate devote diagnose die dilute dim diminish dine dip disable disagree disappear disclose discontinue
    dismantle dismiss dispatch dispose disrupt dissent dissipate dissolve distinguish distribute disturb ditch
    document dominate donate double doubt download drain dredge drift dwell educate elect elevate email embed
    embrace emerge emit emphasise emphasize empty enact enclose encounter endanger endorse endure enforce engage
    enhance enlarge enrich enrol enroll entail entitle envisage envision equal equip erase erect erode escape
    evacuate evaluate evolve exaggerate examine excavate exceed exchange exclude exempt exert exhaust exhibit
    expect experience expire exploit explore export expose express facilitate fade fare fascinate fasten favor
    favour fear fetch film filter finance fine finish fix flash flood flourish flow flower fluctuate fold forbid
    forecast forward foster found fulfil fulfill furnish further gather glaze grade graduate grasp greet grill
    grind group guarantee guard guess halt halve hand harden harm harvest hatch hate heal highlight hire hit
    honor honour hope hover imitate impair import impose impress imprison inaugurate incorporate induce infect
    inflict inform inhabit inherit inhibit initiate inject injure innovate insert insist inspect inspire install
    instruct insulate insure integrate intend intensify interact interpret interrupt intervene interview
    introduce invade invent invest investigate invite invoice invoke isolate justify kill knead label lag launch
    leak lean lecture license lift like linger listen loan locate lock log loosen love lure magnify mail
    manipulate map marry mediate mention mentor merit migrate mince miss mitigate mix mock modify monitor
    motivate mount mourn multiply narrate narrow navigate neglect negotiate neutralise nominate notice notify
    nurture obey object oblige observe obstruct offset omit oppose optimise optimize organise organize outlive
    overlap overlook oversee owe pack paint pause penalise perceive persist persuade phone photograph pioneer
    plant plead pledge pluck plunge polish populate portray post postpone postulate pour practice practise
    praise preach precede predate predict preheat prescribe preside press presume prevail print proclaim
    prohibit project promise prompt propel propose prosecute prosper provoke pump punish pursue qualify question
    queue quit quote race rake randomise ratify react reassure rebel rebuild rebut recall recite reckon reclaim
    recognise recognize reconcile reconstruct recover recruit recycle redeem redefine refrain refrigerate refund
    refuse regard register rehearse reign reimburse reinforce reiterate rejoin relax relegate relieve relocate
    remark remember remind rename render renew renounce renovate reopen reorganise repair repay repeal repeat
    replay replicate reply reproduce request rescue research reserve resign resist resolve resort respect
    respond restart restore restrain restrict resume retire retrieve reunite revert review revise revolve roast
    rob romanticise rotate rust sack sail salt salute sand save scan scatter schedule scrap screen scrub seal
    secure select separate service settle shelter shelve shield shift shine shorten shrink shut signify simmer
    simplify simulate sketch slice slip slow smell smoke soak sort specialise speculate spin split spoil sponsor
    spray spread sprinkle sprout squeeze stabilise staff stain stamp standardise standardize station stem step
    stimulate stipulate stock stow stream stress strip strive struggle submerge submit subscribe subsidise
    subsidize succeed sue summarise summarize summon supersede supervise supplement surge surpass surrender
    survive suspect suspend sustain swallow swap switch symbolise symbolize taper tarnish taste tax tear
    terminate testify thank thaw thrive tighten tilt title toast tolerate topple trace transfer transform
    translate transport trap traverse trust try uncover underline undermine unfold unify unite unload unlock
    unveil update upgrade uphold upload upset urge utilise vacate vaccinate validate vanish vanquish ventilate
    verify veto vie violate visualise volunteer vow waive warm warn warrant weaken welcome weld whisk widen
    wield withhold withstand witness worsen wrap wrestle yearn yield"""
)
_NO_SUBJECT: Final = DETERMINERS | PREPOSITIONS | vocabulary("and or but to not nor than that which who")
_PLURAL: Final = vocabulary("people children men women they we you i police others")
SAME: Final = frozenset({"cost", "cut", "hit", "hurt", "let", "put", "read", "set", "shut", "split", "spread"})
"""Verbs whose past looks like their base form."""


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
    return ("do", form) if _is_verb(form) and form not in SAME else None


def finite_verb(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """Finds the finite verb of a clause: one that is known by its form, else the only word that may be one.

    Args:
        tokens: The words of the clause, also those behind `end`, which tell a verb from a noun.
        start: Index of the first word of its subject.
        end: Index behind the last word that may be the verb.
    """
    known = first_verb(tokens, start, end)
    if known is not None:
        return known
    found = [at for at in range(start + 1, end) if may_be_finite(tokens, at, at - 1)]
    if not found and (head := next((at for at in range(start + 1, end) if tokens[at].form in PREPOSITIONS), 0)):
        plural = _is_several(tokens[head - 1]) and not (head - 1 > start and tokens[head - 1].capital)
        found = [at for at in range(head + 2, end) if plural and _is_plain(tokens[at], tokens[at - 1])]
    return found[0] if len(found) == 1 else None


def _is_several(token: Token) -> bool:
    """Whether a word is a plural by its form."""
    return token.form in _PLURAL or (token.form.endswith("s") and not token.form.endswith(("ss", "us", "is")))


def _is_plain(token: Token, before: Token) -> bool:
    """Whether a word may be a verb behind a phrase of its plural subject: `trains from Varle to Wenlow run`."""
    known = token.word and not token.inner and not token.capital and _is_verb(token.form) and not past(token.form)
    return known and before.word and before.form not in _NO_SUBJECT


def may_be_finite(tokens: Sequence[Token], at: int, last: int) -> bool:
    """Tells whether a word may be a verb in the present or past: `Valmora lies`, `most walkers take`.

    Args:
        tokens: The words of the clause.
        at: Index of the word.
        last: Index of the last word of its subject.
    """
    if is_finite(tokens, at):
        return True
    token, before = tokens[at], tokens[last]
    if token.inner or not token.word or token.capital or not before.word or before.form in _NO_SUBJECT:
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is not None and not (following.word or following.form in "\"'$\u20ac\u00a3\u201c\u2018"):
        return False  # a verb here has something behind it
    if _is_several(before) and (last == 0 or not before.capital):
        return _is_verb(token.form) and not past(token.form)
    return token.form.endswith("s") and any(map(_is_verb, _singular(token.form)))


def _is_verb(word: str) -> bool:
    return base(word) or word in _past().values() or word in SAME or word in _MORE


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
