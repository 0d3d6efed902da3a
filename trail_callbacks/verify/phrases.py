"""Closed lists of what states nothing: words and phrases around the statements of an answer, most of them English.

`coverage` leaves out what is made of nothing else. Each phrase is written out word by word: where any word fitted in,
an answer could hide a statement there. A phrase that is missing here costs a wrong alarm; a word too many, a statement.
"""

from __future__ import annotations

import re
from functools import cache

from trail_callbacks.language.terms import keys, vocabulary

__all__ = ["ASIDE", "BESIDES", "SHORT", "SORRY", "UNFINISHED", "beside", "frame", "talk"]

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
    elaborate summarized defined further additional information details meaning few
    """
)
"""Words that state nothing beside a claim of the same sentence. Alone they might: `It is included.`"""
_FRAME = r"""\b(?:
      (?:based\s(?:solely\s|only\s)?(?:up)?on|according\sto|as\sper|from|in|within|given)\s
        (?:(?:all|the|these|this|those|your|my|our|given|provided|retrieved|supplied|available|above|following|attached
          |relevant|of|information|in)\s){0,6}
        (?:passages?|contexts?|documents?|sources?|texts?|information|materials?|excerpts?|snippets?|articles?|data
          |search\sresults|results|knowledge\sbase|references?)\b
        (?:\s(?:provided|given|above|supplied|retrieved|available))?
    | (?:it(?:['\u2019]s|\sis)\s)?(?:also\s)?(?:important|worth|essential|crucial|useful|good)\s(?:to\s)?
        (?:note|noting|remember|remembering|mention|mentioning|know|knowing|keep\sin\smind|point\sout|be\saware)(?:\sthat)?\b
    | (?:please\s)?(?:note|keep\sin\smind|bear\sin\smind|be\saware|remember|mind|know)\sthat\b
    | what\s(?:i|we)\s(?:found|know|can\s(?:conclude|infer|say))
    | on\sthe\s(?:one|other)\shand
    | in\s(?:addition|contrast|conclusion|summary|short|fact|general|particular|other\swords)
    | for\s(?:example|instance) | to\s(?:conclude|summari[sz]e|sum\sup|answer\syour\squestion) | of\scourse
    | (?:great|good|excellent|interesting)\squestion | good\s(?:morning|afternoon|evening|day|luck) | no\sproblem
    | (?:have\s)?a\s(?:great|good|nice|lovely|wonderful)\s(?:day|evening|weekend|time)
    | (?:i|we)(?:['\u2019]m|['\u2019]re|\sam|\sare)\s(?:glad|happy|here)\sto\s(?:help|assist)
    | thank(?:s|\syou)\sfor\s(?:asking|your\squestion|reaching\sout|your\s(?:message|interest|patience))
    | (?:(?:i|we)\s)?hope\s(?:this|that|it)\s
        (?:helps|is\shelpful|was\shelpful|answers\syour\squestions?|clarifies(?:\sthings)?)(?:\syou)?
    | you(?:['\u2019]re|\sare)\swelcome | (?:best|kind|warm)\sregards | dear\s(?:mr|mrs|ms|dr|prof)\.?\s\w+
    | would\syou\slike\s(?:me\sto\s(?:go\son|continue|explain)|(?:any|more|further)\s(?:details?|information|help))
    | the\s(?:two|three|four|five|six|seven|eight|nine|ten)\s(?:main\s|key\s|simple\s|easy\s)?
        (?:steps|ways|methods|tips|reasons|options|points)
    | (?:please\s)?(?:let\s(?:me|us)\sknow
        |(?:feel\sfree|do(?:n['\u2019]t|\snot)\shesitate)\sto\s(?:ask|reach\sout|let\sme\sknow|contact\sme))
    | if\s(?:you(?:\shave|\sneed|['\u2019]d\slike|\swould\slike|\swant)|there(?:['\u2019]s|\sis|\sare))\s
        (?:(?:any|more|further|additional|other|anything|else|some|to\sknow|help|with|a|or|and|questions?|concerns?
          |information|details?|assistance|clarification|follow-up|specific)\b\s?){1,8}
    | (?:is\sthere|do\syou\sneed)\sanything\selse
        (?:\syou(?:['\u2019]d|\swould)\slike\sto\sknow|\s(?:i|we)\s(?:can|may)\s(?:help|assist|do))?
        (?:\s(?:you\swith|for\syou))?
    | (?:shall|should|can|may)\s(?:i|we)\s(?:help|assist|go\son|continue|(?:look\sup|check|find|explain)\sanything)
        (?:\syou)?(?:\swith)?(?:\s(?:anything|something))?(?:\selse)?
    | how\s(?:can|may)\s(?:i|we)\s(?:help|assist)(?:\syou)?(?:\stoday)?
    | here(?:['\u2019]s|\sis|\sare)\s(?:(?:my|the|a|an|your|some|brief|short|quick|final|i|found|steps?|answer|summary
        |list|overview|response|information|to|of|for|on)\b\s?){1,8}
    | (?:you\scan\s)?(?:follow|use|take|try)\s(?:one\sof\s|any\sof\s)?(?:these|the\sfollowing|the)\s
        (?:steps?|instructions?|methods?|guidelines?|tips?)
    | (?:methods?|steps?|options?|parts?|sections?|tips?|answers?|responses?)\s\d{1,2}
    | (?:the|these|those|some|following|are|is|as|you\sshould|you\scan|steps?|methods?|ways?|tips?)\s
        (?:following|as\sfollows|follows)
    )\b|\b(?:passages?|documents?|sources?|excerpts?|snippets?|chunks?|contexts?)\s(?:no\.\s)?\[?\d{1,3}\]?
      (?:(?:,|\sand|\s&|,\sand|-|\u2013)\s?(?:passages?\s)?\d{1,3}){0,9}"""
"""A pattern (verbose, case ignored) of frames: `based on the passages`, `let me know if you have any questions`."""
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
def frame() -> re.Pattern[str]:
    """Compiles the pattern of frames, at first use: importing the package must stay cheap."""
    return re.compile(_FRAME, re.IGNORECASE | re.VERBOSE)


@cache
def talk() -> frozenset[str]:
    """Keys of the words that state nothing anywhere."""
    return frozenset(key for word in _TALK for key in keys(word))


@cache
def beside() -> frozenset[str]:
    """Keys of the words that state nothing beside a claim."""
    return talk() | frozenset(key for word in _BESIDE for key in keys(word))
