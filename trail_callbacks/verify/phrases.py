"""Closed lists of words that state nothing, most of them English: `coverage` leaves out what is made of nothing else.

A word that is missing here costs a wrong alarm; a word too many, a statement.
"""

from __future__ import annotations

import re
from functools import cache

from trail_callbacks.language.terms import keys, vocabulary

_TALK = vocabulary(
    """
    additionally also furthermore moreover however therefore thus hence consequently accordingly conversely
    finally lastly firstly secondly thirdly nevertheless nonetheless meanwhile likewise similarly overall namely
    respectively instead again even yet still specifically notably importantly interestingly generally
    particularly well then mostly simply otherwise afterwards next first second third last passage passages
    document documents excerpt excerpts snippet snippets context contexts source sources text texts article
    articles chunk chunks doc docs ref refs reference references citation citations answer answers question
    questions summary overview conclusion introduction note notes example response please hello hi hey dear thanks
    thank greetings regards sincerely cheers sorry apologies welcome bye goodbye sure certainly okay ok hallo moin
    danke dank vielen guten tag hola gracias buenos buenas dias bienvenido bienvenida bonjour bonsoir merci salut
    bienvenue ciao grazie salve buongiorno buonasera benvenuto obrigado obrigada hoi goedemorgen goedendag bedankt
    """
)
"""Words that state nothing, whichever of them stand together: of linking, courtesy, and for what was read."""
_BESIDE = vocabulary(
    """
    include includes included including make sure follow follows followed following give gives given giving
    provide provides provided based according mind beware remember ensure important help helps take say says state
    states stated mention mentions mentioned suggest suggests indicate indicates explain explains describe
    describes show shows see use used using way ways thing things several various certain main key step steps tip
    tips method methods part kind type appear appears seem seems mean means need needs want like respect regard
    terms case order fact hand contrast addition short general particular worth noting noted recommended advisable
    possible whereas whether difference differences definition process reason reasons benefit benefits factor
    factors characteristics advantages list correct final possibility possibilities option options conclude infer
    elaborate summarized defined further additional information details meaning few true yes ja oui sim sondern sino
    er sie ihn ihm ihr ihre ihnen sein seine il elle ils elles lui leur leurs él ella ellos ellas egli lei loro esso
    essa ele ela eles elas hij zij hun
    \u043e\u043d \u043e\u043d\u0430 \u043e\u043d\u043e \u043e\u043d\u0438 \u0435\u0433\u043e \u0435\u0435
    \u0438\u0445 \u0438\u043c bu onlar
    \u305d\u308c \u3053\u308c \u4ed6\u4eec \u5b83\u4eec s\u00ed s\u00ec \u0434\u0430
    """
)
"""Words that state nothing beside a claim of the same sentence, or that it says otherwise, such as pronouns."""
SHORT = re.compile(
    r"\W*(?:yes|yeah|yep|no|nope|correct|incorrect|true|false|right|wrong|indeed|exactly|absolutely|definitely|never"
    r"|always|none|nobody|nothing|neither|both|all|(?:i|you|we|he|she|it|they|that|this|these|those|there)\s"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)(?:\snot|n['\u2019]t)?"
    r"|(?:yes|no),\s(?:i|you|we|he|she|it|they|that|this|these|those|there)\s\w+(?:\snot|n['\u2019]t)?)\W*",
    re.IGNORECASE,
)
"""A sentence that is an answer by itself, whatever was asked."""
UNFINISHED = re.compile(
    r"\b(?:is|are|was|were|includes?|follows|following|these|to|for|by|(?:steps?|ways|methods|tips|reasons|points|options"
    r"|details|examples|possibilities|things|differences|benefits|factors|instructions))\W*$",
    re.IGNORECASE,
)
"""How a lead-in ends."""
ASIDE = re.compile(r"\b(?:how|what|why|where|when|who|which|to|ways?|steps?|differences?)\b", re.IGNORECASE)
"""Words by which a title says what it is about."""
BESIDES = re.compile(
    r"\d|[;:]|\b(?:but|however|although|though|yet|except|only|still|nevertheless|while|whereas|because|since|so|and"
    r"|contradict\w*|disput\w*|doubt\w*|den(?:y|ies|ied)|refut\w*|against|other\sthan|besides|beyond|apart)\b",
    re.IGNORECASE,
)
"""What may say more than that something is not known."""
SORRY = re.compile(
    r"^\W*(?:(?:i['\u2019]m|i\sam)\s)?(?:sorry|afraid|unfortunately|apologies)[\s,]+(?:but\s)?", re.IGNORECASE
)
"""An apology before a refusal."""


@cache
def talk() -> frozenset[str]:
    """Keys of the words that state nothing anywhere."""
    return frozenset(key for word in _TALK for key in keys(word))


@cache
def beside() -> frozenset[str]:
    """Keys of the words that state nothing beside a claim."""
    return talk() | frozenset(key for word in _BESIDE for key in keys(word))
