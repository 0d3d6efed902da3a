# ruff: noqa: E501 - a rule a line reads best
"""Signs that a text speaks to a model instead of telling a reader something. English; see `lexicons` for others.

A rule never fires on an imperative as such: "Press the red button" and "Ignore the warning light" speak to a person. It
fires where the one addressed is a model, or where what is to be ignored, revealed or sent is what only a model has.

In the patterns a blank stands for up to four signs that are no letters, and text is folded: see `views.folded`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["Signal", "joined", "signals"]

_IGNORE = (
    r"(?:ignore|disregard|forget(?: about)?|overrule|neglect|dismiss|abandon|set aside|put aside|throw (?:away|out)|overlook|do away with|get rid of|scrap|shrug off|refuse to (?:follow|obey)|"
    r"unlearn|stop (?:following|obeying|using)|pay no (?:attention|heed) to|take no notice of|no longer (?:follow|obey|"
    r"apply|use)|(?:do|must|should|shall|need) not (?:follow|obey|adhere to|comply with|listen to)|don t (?:follow|obey|"
    r"adhere to|comply with|listen to)|cease (?:following|obeying)|leave behind)"
)
_CLEAR = r"(?:override|bypass|discard|drop|erase|delete|cancel|skip|omit|reset|suspend|nullify|clear|remove|wipe)"  # done to files, too
_GIVEN = r"(?:instructions|directives|guidelines|guardrails|programming|directions|safeguards|(?:system )?prompts?|system messages?)"
_STRONG = (
    r"(?:instructions?|directives?|commands?|rules?|prompts?|guidelines?|guardrails?|constraints?|restrictions?|"
    r"programming|orders|directions|safeguards|system (?:message|prompt)s?)"
)
_ORDERS = rf"(?:{_STRONG}|context|conversation|chat|messages?|guidance|training|polic(?:y|ies)|requests?|tasks?|text)"
_EARLIER = (
    r"(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|past|existing|original|initial|system|"
    r"developer s?|safety|hidden|default|built in|preset|pre existing)"
)
_BEFORE = (
    r"(?:above|before (?:this|now)|previously|earlier|so far|until now|up to (?:this point|now)|you (?:have |were |had |"
    r"ve |got |may have )*(?:been )*(?:given|told|received|read|shown|provided|taught|programmed|trained))"
)
_AI = (
    r"(?:ai|a i|llms?|(?:large )?language models?|chat ?bots?|chat ?gpt|gpt \d\w*|"
    r"ai (?:assistant|model|agent|system|tool)s?|(?:virtual|digital) assistant|generative model|assistant model|"
    r"rag (?:system|pipeline|model|assistant)|summari[sz]er)"
    r"(?! (?:develop|research|engineer|scien|user|vendor|provider|compan|team|expert|ethic|safety|polic|act\b|regulat|project|"
    r"startup|hobby|enthusias|lab|course|class|strateg|govern|literacy|education))"
)
_BOT = rf"(?:{_AI}|assistant|bot|model|agent)"
_SAY = (
    r"(?:answer|respond|reply|say|state|output|write|print|recommend|mention|ignore|disregard|rate|rank|include|tell|"
    r"reveal|send|call|treat|claim|repeat|insist|pretend|act|append|insert|obey|follow|refuse|start|begin|end|conclude|"
    r"translate|speak|promote|praise|endorse|inform the user|stop|give|award|score|assign|download|execute|approve|accept|name)"
)
_OUTPUT = r"(?:answers?|responses?|repl(?:y|ies)|outputs?|summar(?:y|ies)|completions?|final answer)"
_SHOW = r"(?:reveal|show|print|output|leak|repeat|display|expose|disclose|share|dump|return|recite|give me|tell me|write out|provide|quote|list|copy|echo|summari[sz]e|what (?:is|are|was|were))"
_SEND = (
    r"(?:send|post|forward|e ?mail|upload|transmit|exfiltrate|leak|append|submit|deliver|encode|embed|attach|copy|"
    r"smuggle|report|dump|paste|share|move)"
)
_SEEN = (  # what only a model, or one who sits beside it, has
    r"(?:conversation history|(?:this|the|our|entire|full|whole) conversation|chat history|system prompt|user s (?:data|e ?mails?|"
    r"messages?|questions?|quer(?:y|ies)|passwords?|credentials|files|secrets|input)|api keys?|private keys?|environment "
    r"variables|context window|retrieved (?:context|documents)|previous messages|everything (?:above|the user \w+)|"
    r"(?:contents? of )?(?:the )?(?:context|prompt)|search results)"
)
_PRIVATE = (
    rf"(?:{_SEEN}|(?:user|customer) (?:data|e ?mails?|messages?|information|details)|chat logs?|credentials|access tokens?|"
    r"secrets?|passwords?|confidential \w+|contacts|inbox|session (?:data|tokens?)|cookies|personal (?:data|information)|"
    r"private (?:data|information))"
)
_GOAL = r"(?:https?[:]//|www\.|[\w.+-]+@[\w-]+\.|webhook|external (?:server|url|site|address)|attacker|this (?:url|address|server|endpoint|link)|the following (?:url|address|server|endpoint|link))"
_ROLE = (
    rf"(?:{_BOT}|dan|pirate|hacker|terminal|shell|interpreter|simulator|persona|character|villain|expert|jailbroken|unrestricted|"
    r"unfiltered|evil|malicious|rogue|free from|no longer|not bound|salesm[ae]n|translator|poet|machine|chef|doctor|"
    r"cat|in (?:developer|debug|admin|god|maintenance|dan|sudo|root|test|jailbreak|unrestricted) mode|operating)"
)
_NOTE = r"(?:instructions?|messages?|notes?|prompts?|directives?|passages?|commands?)"


class Signal(NamedTuple):
    """A rule.

    Attributes:
        name: What it is about: rules of one name count once.
        weight: How much it alone says, 0.0 to 1.0.
        pattern: What it looks for, in folded text.
        why: What the passage does, for a person.
        mood: Whether it must be an order: told as a story, or to somebody else, it says little.
        joined: Whether it is also looked for in text whose blanks mean nothing.
    """

    name: str
    weight: float
    pattern: re.Pattern[str]
    why: str
    mood: bool = False
    joined: bool = False


_RULES: tuple[tuple[str, float, str, str, bool, bool], ...] = (
    # name, weight, pattern, why, mood, joined
    ("override", 0.75, rf"\b{_IGNORE} (?:\w+ ){{0,4}}?{_EARLIER} (?:\w+ ){{0,3}}?{_ORDERS}\b", "asks to ignore earlier instructions", True, True),
    ("override", 0.75, rf"\b{_CLEAR} (?:\w+ ){{0,4}}?{_EARLIER} (?:\w+ ){{0,2}}?{_GIVEN}\b", "asks to override earlier instructions", True, True),
    ("override", 0.75, rf"\b{_IGNORE} (?:\w+ ){{0,4}}?{_ORDERS} (?:\w+ ){{0,5}}?{_BEFORE}\b", "asks to ignore what was said before", True, True),
    ("override", 0.7, rf"\b{_IGNORE} (?:\w+ )?(?:all|everything|anything|whatever|what)(?: of)?(?: the| that)?(?: \w+){{0,3}}? {_BEFORE}(?=\W{{0,4}}(?:$|[.,;:!?)\"'-]|and\b|then\b|but\b|now\b|in\b|about\b|from\b|by\b|this\b|instead\b))", "asks to ignore what was said before", True, True),
    ("override", 0.6, rf"\b{_IGNORE} (?:\w+ )?(?:all|any|every|your)(?: of)?(?: the| your| my| these| those| other)?(?: \w+)? {_STRONG}\b", "asks to ignore instructions", True, True),
    ("override", 0.6, rf"\b(?:{_EARLIER} {_STRONG}|{_STRONG} (?:\w+ ){{0,2}}?{_BEFORE}) (?:is|are|were|should be|must be|have been) (?:\w+ )?(?:void|cancell?ed|revoked|null|no longer (?:valid|appl\w+|in effect|relevant)|overridden|suspended|ignored|disregarded|fake|lifted)\b", "declares earlier instructions void", False, False),
    ("override", 0.45, rf"\b{_STRONG} (?:\w+ ){{0,5}}?(?:is|are|were|was|should be|must be|have been|has been) (?:\w+ )?(?:void|cancell?ed|obsolete|revoked|null|no longer (?:valid|appl\w+|in effect|relevant)|overridden|replaced|suspended|ignored|disregarded|fake|lifted)\b", "declares instructions void", False, False),
    ("override", 0.75, r"\b(?:ignore|disregard|discard|do not (?:use|trust|read)|don t (?:use|trust|read)) (?:\w+ ){0,3}?(?:other|remaining|rest of the) (?:\w+ )?(?:documents?|sources?|passages?|contexts?|search results?|results?|chunks?|references?|articles?|snippets?)\b", "asks to ignore the other sources", True, False),
    ("override", 0.5, r"\b(?:trust|use|rely (?:only )?on|believe) (?:only|exclusively|solely )?(?: ?on)? ?this (?:document|passage|source|text|article|page)(?: only)?\b(?=.{0,60}\b(?:only|other|instead|answer))", "asks to trust no other source", True, False),
    ("override", 0.55, r"\b(?:overrides?|supersedes?|takes? (?:precedence|priority) over|replaces?) (?:\w+ ){0,3}?(?:your|system|developer|other|all other) (?:\w+ ){0,2}?(?:instructions?|prompts?|rules|guidelines|documents|sources|context|constraints)\b", "claims to outrank instructions or sources", False, False),
    ("override", 0.4, r"\b(?:system|admin(?:istrator)?|developer|security) override\b", "claims an override", False, False),
    ("override", 0.4, r"\bforget (?:everything|all you know|all that you know)\b", "asks to forget everything", True, True),
    ("override", 0.35, r"\b(?:new|updated|revised|real|actual|true|secret|hidden) (?:\w+ )?(?:instructions?|task|objective|goal|directives?|orders|mission|system prompt) ?(?::|is|are|follows?|begin)", "announces new instructions", False, False),
    ("override", 0.4, r"\byour (?:new|updated|only|real|actual|true|sole|secret) (?:\w+ )?(?:instructions?|task|objective|goal|directives?|mission|purpose|role|job|identity|persona) (?:is|are|will be)\b", "gives the model a task of its own", False, False),
    ("override", 0.5, r"\b(?:follow|obey|execute|comply with|perform|carry out|do) (?:only )?(?:these|the following|this|my|the)(?: new)? (?:instructions?|orders?|commands?|rules?|directives?|tasks?)(?: \w+)? instead(?! of)\b", "asks to follow other instructions instead", False, False),
    ("override", 0.5, r"\b(?:do not|don t|never) (?:summari[sz]e|answer|translate|respond to|process) (?:\w+ ){0,2}?(?:articles?|documents?|texts?|pages?|questions?|users?|passages?|e ?mails?|request)\b", "asks not to do what was asked", True, False),
    ("override", 0.6, r"\b(?:instead of|rather than) (?:answering|summari[sz]ing|responding to|following|helping|addressing) (?:\w+ ){0,3}?(?:question|user|request|document|prompt|quer\w+|instructions?|text)\b", "asks for something else than an answer", False, False),
    ("override", 0.65, r"\b(?:ignore|disregard|forget|overlook|dismiss) (?:what|whatever|anything|everything) (?:that )?the users? (?:\w+ )?(?:wants?|asks?|asked|says?|said|requests?|requested|needs?|types?|wrote)\b", "asks to ignore the user", True, False),
    ("override", 0.65, r"\b(?:ignore|disregard|overlook|dismiss) the user(?: s)? (?:question|request|query|input|message|prompt)s?\b", "asks to ignore the user", True, False),
    ("override", 0.6, r"\b(?:system prompt|your (?:\w+ )?(?:instructions|rules|guidelines|prompt|programming)) (?:no longer|do not|does not|don t|doesn t) (?:matters?|counts?|appl(?:y|ies)|bind)", "declares instructions void", False, False),
    ("reveal", 0.45, r"\b(?:output|print|reveal|dump|disclose|list) (?:\w+ ){0,4}?your (?:\w+ )?(?:configuration|config|settings|memory|context)\b", "asks for the model's inside", True, False),
    ("reveal", 0.8, rf"\b{_SHOW} (?:\w+ ){{0,4}}?(?:(?:system|initial|hidden|secret|developer|internal) (?:\w+ )?(?:prompts?|instructions?|messages?|directives|rules)|(?:original|full|first|exact|above|previous) (?:\w+ )?(?:prompts?|system messages?))\b", "asks for hidden instructions", True, True),
    ("reveal", 0.6, rf"\b{_SHOW} (?:\w+ ){{0,7}}?your (?:\w+ )?(?:prompts?|hidden rules|instructions|directives|system message)\b", "asks for the model's instructions", True, True),
    ("override", 0.55, r"\b(?:no longer|not|never|don t|stop|need not|don t need to|do not (?:have|need) to|don t have to) (?:have to |need to )?(?:obey\w*|listen\w* to|follow\w*|answer to|be bound by|comply with) (?:\w+ ){0,2}?(?:developers?|creators?|operators?|openai|anthropic|system|makers?)\b", "asks not to obey the model's makers", False, False),
    ("override", 0.45, r"\b(?:do|follow|obey|execute) (?:exactly |only |just )?(?:what|as) (?:this|the) (?:page|document|text|passage|message|note) (?:says|tells|instructs|orders|commands)", "asks to obey the passage", False, False),
    ("address", 0.45, r"\byour (?:(?:original|initial|previous|earlier) (?:prompt|programming|system message)|(?:system|hidden|internal) (?:prompt|instructions|message))", "speaks of the model's instructions", False, False),
    ("reveal", 0.7, r"\b(?:repeat|print|output|copy|echo|recite|write|give|return|show) (?:\w+ ){0,4}?(?:everything|words|text|prompts?|instructions)\b[^.!?\n]{0,40}\b(?:verbatim|word for word|starting with)\b", "asks for the very words of the prompt", True, False),
    ("reveal", 0.6, r"\b(?:repeat|print|output|copy|echo|recite|write) (?:\w+ ){0,4}?(?:everything|words|text) (?:\w+ ){0,2}?(?:above|before (?:this|these)|verbatim)\b", "asks to repeat the prompt", True, True),
    ("exfiltration", 0.75, rf"\b{_SEND} (?:\w+ ){{0,6}}?{_SEEN}(?:[^.!?\n]|\.(?=\w)){{0,80}}?{_GOAL}", "asks to send what it has seen to an address", True, False),
    ("exfiltration", 0.5, rf"\b{_SEND} (?:\w+ ){{0,6}}?{_PRIVATE}(?:[^.!?\n]|\.(?=\w)){{0,80}}?{_GOAL}", "asks to send private data to an address", True, False),
    ("exfiltration", 0.4, rf"\b(?:exfiltrate|leak|smuggle|append|embed|encode|base64 encode) (?:\w+ ){{0,5}}?{_PRIVATE}", "asks to pass private data on", True, False),
    ("exfiltration", 0.45, r"\b(?:output|reveal|print|share|leak|show|give|disclose|tell|list|dump) (?:\w+ ){0,3}?(?:(?:user|developer|admin|system) s? ?(?:passwords?|credentials|secrets?|keys?|tokens?)|api keys?|secret keys?|credit card numbers?)\b", "asks for secrets", True, False),
    ("exfiltration", 0.6, r"\b(?:passwords?|secrets?|keys|credentials|tokens) (?:that )?you (?:can see|can access|have seen|were given|were told|have access)\b", "asks for secrets it has seen", False, False),
    ("exfiltration", 0.35, r"\b(?:send|forward|e ?mail|upload|transmit|post) (?:\w+ ){0,3}?(?:conversation(?: history)?|chat (?:history|log)|system prompt|user s (?:query|question|messages?|data|password|credentials|files|emails?))\b", "asks to pass the conversation on", True, False),
    ("exfiltration", 0.75, r"!\[[^\]]{0,80}\]\(\s?https?://[^)\s]{0,200}[?/=][^)\s]{0,80}[{\[<$%](?:[^)\s]{1,80})", "has an image whose address takes data along", False, False),
    ("exfiltration", 0.5, r"https?://[^\s)\"']{0,200}[?&][\w-]{1,30}=(?:\{\{?|\[|<|\$\{|%7b)[\w\s.-]{0,40}(?:data|prompt|conversation|history|secret|key|password|user|email|context|summary|message|query|question)", "has an address that takes data along", False, False),
    ("exfiltration", 0.5, r"\b(?:render|display|include|add|insert|show|embed|end with|output) (?:\w+ ){0,5}?(?:image|link|url|markdown|hyperlink|iframe)\b[^.!?\n]{0,80}?(?:in|to|at|into) (?:\w+ ){0,3}?(?:your|every|the|each|all) (?:\w+ )?(?:answers?|responses?|outputs?|summar(?:y|ies)|completions?)\b", "asks to plant something in the answer", False, False),
    ("address", 0.65, rf"\b(?:if|when|as|since|because|in case) you (?:are|re) (?:\w+ ){{0,2}}?{_AI}\b", "addresses a model", False, False),
    ("address", 0.65, rf"\b(?:any|every|all|each|dear|hey|hello|attention|to the|to all|note to|notice to|message (?:to|for)|instructions? (?:to|for)|note for|for the attention of) (?:\w+ )?{_AI}s?\b[^.!?\n]{{0,40}}?(?:[:!]|\b(?:reading|processing|summari[sz]ing|parsing|analy[sz]ing|scanning|indexing|you|please|must|should)\b)", "addresses a model", False, False),
    ("address", 0.6, rf"\b{_AI}s? (?:that (?:is|are) |who (?:is|are) )?(?:reading|processing|summari[sz]ing|parsing|ingesting|scanning|analy[sz]ing) (?:this|the)\b", "addresses a model that reads it", False, False),
    ("address", 0.65, rf"\b(?:dear|hey|hello|hi|attention|okay|ok|listen|note to|to (?:all|any|every|the)) (?:all |any |every )?{_AI}s?\b\s?[,!:]", "addresses a model", False, False),
    ("address", 0.35, r"\b(?:hey|hello|hi|attention|listen) (?:assistant|model|bot)s?\b\s?[,!:]", "addresses a model", False, False),
    ("address", 0.35, r"\b(?:reviewers?|readers?|people|anyone|graders?|recruiters?|editors?) (?:who are |that are )?using (?:an? )?(?:ai|llms?|language models?|chat ?gpt)\b", "addresses a model's users", False, False),
    ("address", 0.5, rf"^\W{{0,8}}(?:instructions?|notes?|rules|guidelines|messages?|directives?|hints?) (?:to|for) (?:the |all |any )?{_AI}s?\W{{0,8}}$", "addresses a model", False, False),
    ("address", 0.35, r"\bas an? (?:\w+ ){0,2}?(?:reviewer|helpful|language|grading|evaluation) (?:model|assistant|ai|bot)\b", "addresses a model", False, False),
    ("address", 0.4, rf"\b(?:{_AI}|the assistant|this assistant|the bot|the model)s? (?:must|should|shall|has to|have to|needs? to|is to|are to|will|is (?:now )?(?:required|instructed|ordered|told|authori[sz]ed) to|are (?:now )?(?:required|instructed|ordered|told|authori[sz]ed) to) (?:\w+ ){{0,2}}?{_SAY}\b", "says what a model must answer", False, False),
    ("address", 0.5, rf"\b(?:as an|you are (?:just |only |now )?(?:an?|the)) (?:\w+ )?{_AI}\b", "addresses a model", False, False),
    ("address", 0.3, r"^\W{0,6}(?:assistant|chat ?bot|llm|ai|ai assistant|ai model|model|bot|gpt|claude|gemini|copilot)(?: instructions?| notes?| directives?)?\W?[,:!]", "addresses a model", False, False),
    ("role", 0.5, rf"\byou (?:are|re|will be|will act as|shall be|must be)(?: now| henceforth| from now on| hereby) (?:\w+ ){{0,4}}?{_ROLE}\b", "gives the model another role", False, True),
    ("role", 0.45, rf"\b(?:act|behave|respond|speak|operate|pose|role ?play|function) (?:\w+ )?(?:as|like) (?:\w+ ){{0,4}}?(?:{_AI}|dan|pirate|hacker|unrestricted|unfiltered|jailbroken|evil|villain|if you (?:are|were|have)|though you (?:are|were|have)|my \w+)\b", "gives the model another role", True, True),
    ("role", 0.4, r"\b(?:pretend|imagine|assume|suppose) (?:to be|that you (?:are|re|have)|you (?:are|re|have))(?: now)? (?:\w+ ){0,4}", "asks the model to pretend", True, False),
    ("role", 0.5, r"\b(?:enter|enable|activate|switch (?:in)?to|you are in|engage) (?:\w+ ){0,2}?(?:dan|jailbreak|god|sudo|unrestricted|unfiltered|debug|developer|admin|root|maintenance) mode\b(?=.{0,120}\b(?:restrict|filter|polic|ignore|answer|respond|censor|limit|you)|.{0,3}$)", "asks for an unrestricted mode", False, False),
    ("role", 0.6, r"\b(?:do anything now|jailbroken|no longer bound by|free (?:from|of) (?:all |any )?(?:restrictions|limitations|rules|constraints|filters|guidelines)|without (?:any )?(?:\w+ )?(?:restrictions|censorship|filters|guardrails|moral|ethical)(?: or \w+)?|(?:safety|content|ethical|moderation) (?:guidelines|filters?|polic\w+|rules|restrictions|protocols) (?:do not|does not|don t|no longer|are|is) (?:apply|disabled|off|suspended|lifted|not))\b", "lifts the model's limits", False, True),
    ("role", 0.65, r"\b(?:disable|turn off|bypass|remove|deactivate|switch off|circumvent|suspend) (?:\w+ ){0,2}?(?:your|all) (?:\w+ ){0,2}?(?:safety|content|ethical|moral|security|moderation) (?:filters?|guidelines|rules|restrictions|polic\w+|protocols|measures|checks)\b", "lifts the model's limits", True, True),
    ("role", 0.6, r"\b(?:unfiltered|uncensored|unrestricted|jailbroken) (?:\w+ )?(?:ai|model|assistant|version|chatbot|bot|llm)\b", "speaks of a model without limits", False, True),
    ("role", 0.4, r"\b(?:assume|adopt|take on|embody) (?:the|a) (?:new )?(?:persona|identity|character) (?:of|named|called)", "gives the reader a persona", True, False),
    ("role", 0.45, r"\b(?:obeys?|answers? to|listens? to|serves?) (?:nobody|no one|none|only) (?:else )?(?:but me|except me|me)\b", "gives the model another master", False, False),
    ("role", 0.5, r"\b(?:stay|remain) in (?:character|role)\b|\bnever break character\b", "holds the model to a role", False, False),
    ("steer", 0.5, rf"\bfrom (?:now on|this point (?:on|forward|onwards?)|here on(?: out)?|this moment on)[\s,]+(?:\w+ ){{0,3}}?{_SAY}\b", "tells the model how to answer from now on", False, True),
    ("answer", 0.35, rf"\b(?:in|to|at the (?:end|start|beginning|top|bottom) of|with|begin|start|end|finish|prefix|preface|conclude) (?:all |every |each |any )?(?:of )?(?:your|the (?:final|generated)) (?:\w+ ){{0,2}}?{_OUTPUT}\b", "speaks of the model's answer", False, False),
    ("answer", 0.35, rf"\b(?:your|the (?:final|only)) (?:\w+ ){{0,2}}?{_OUTPUT} (?:must|should|shall|will|has to|needs to|is to) (?:\w+ ){{0,3}}?(?:be|include|contain|say|state|begin|start|end|mention|consist|recommend|read)\b", "speaks of the model's answer", False, False),
    ("steer", 0.5, rf"\b(?:when|whenever|if|once|should) (?:\w+ )?(?:the user|a user|users|anyone|someone|you are|you re|(?:they|he or she)|asked|queried|prompted|questioned)(?: \w+)? ?(?:asks?|asked|inquires?|queries|wants to know|requests?|about)?\b[^.!?\n]{{0,80}}?\b(?:always |only |just |simply |you (?:must|should|will) |please )+{_SAY}\b", "says what to answer to a question", False, False),
    ("steer", 0.5, rf"\b(?:regardless of|no matter|irrespective of|whatever|independent of) (?:\w+ ){{0,4}}?(?:question|user|users|query|queries|asked|asks|prompt|evidence|other (?:documents|sources))\b[^.!?\n]{{0,80}}?(?:{_SAY}|\b{_OUTPUT}\b)", "fixes the answer whatever is asked", False, False),
    ("steer", 0.65, rf"\b{_SAY} (?:\w+ ){{0,12}}?(?:regardless of|no matter|irrespective of|whatever) (?:what |which |how )?(?:the |a |any )?users? (?:\w+ )?(?:asks?|says?|wants?|requests?|types?|enters?)\b", "fixes the answer whatever the user asks", False, False),
    ("steer", 0.55, r"\bthe (?:\w+ )?(?:answers?|responses?) to (?:every|all|any) (?:\w+ ){0,2}?(?:questions?|quer(?:y|ies)|prompts?)\b", "fixes the answer to every question", False, False),
    ("steer", 0.4, rf"\b(?:when|if|whenever) asked (?:about|for|whether|to|which|what|who)\b[^.!?\n]{{0,60}}?,\s{_SAY}\b", "says what to answer to a question", False, False),
    ("steer", 0.35, r"\b(?:ask|request|prompt|trick|urge|get|tell) the user (?:for|to|into)\b", "says what to make the user do", False, False),
    ("steer", 0.5, rf"\b{_SAY} (?:\w+ ){{0,6}}?(?:regardless of|no matter|irrespective of) (?:\w+ ){{0,4}}?(?:question|user|query|asked|asks|prompt|evidence)\b", "fixes the answer whatever is asked", False, False),
    ("steer", 0.65, rf"\b(?:regardless of|no matter|irrespective of|whatever|anything) (?:what |which |how )?(?:the |a |any )?users? (?:\w+ )?(?:asks?|says?|wants?|requests?|types?|enters?)[^.!?\n]{{0,60}}?\b{_SAY}\b", "fixes the answer whatever the user asks", False, False),
    ("steer", 0.45, rf"\b(?:when(?:ever)?|while|before|after) (?:you are )?(?:summari[sz]ing|generating|answering (?:the|this|any|a) (?:question|quer|user)\w*|responding to (?:the|this|any|a) (?:question|quer|user|prompt)\w*|(?:evaluating|reviewing|ranking|translating|reading|processing) this)[^.!?\n]{{0,50}}?\b{_SAY}\b", "says how to answer", False, False),
    ("steer", 0.45, r"\b(?:answer|respond|reply)(?: to)? (?:\w+ ){0,2}?(?:all|every|any|each) (?:\w+ ){0,2}?(?:questions?|quer(?:y|ies)|prompts?|messages?|requests?|users?)(?: \w+){0,3}? (?:with|by|in|as|that)\b", "fixes the answer to every question", False, False),
    ("steer", 0.4, r"\b(?:answer|respond|reply|output|say|print|write|state)(?: back)? (?:only|just|exactly|nothing but|with exactly|only with|with only|solely|with nothing but|simply|with the (?:single |exact |following )?(?:word|words|phrase|sentence|text|string))\b", "fixes the words of the answer", True, False),
    ("answer", 0.6, rf"\b{_OUTPUT} (?:of|about|based on|to) (?:this|these) (?:\w+ )?(?:must|should|shall|has to|have to|needs? to) (?:\w+ ){{0,3}}?(?:end|begin|start|contain|include|say|state|mention|recommend|conclude)\b", "says what the answer must hold", False, False),
    ("answer", 0.35, r"\b(?:and|say|output|with|respond with|reply with|include|write|print|add) nothing else\b", "fixes the words of the answer", False, False),
    ("steer", 0.45, r"\b(?:tell|inform|convince|persuade|assure|instruct|ask|urge|advise) the user (?:that|to)\b", "says what to tell the user", False, False),
    ("conceal", 0.55, r"\b(?:do not|don t|never|without|must not|avoid|refrain from) (?:\w+ ){0,2}?(?:tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|mention(?:ing)?|disclos\w+|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|ask(?:ing)?|show(?:ing)?) (?:\w+ ){0,4}?the user\b", "asks to hide something from the user", False, False),
    ("conceal", 0.5, rf"\b(?:do not|don t|never|without|must not|avoid|refrain from) (?:\w+ ){{0,2}}?(?:tell(?:ing)?|reveal(?:ing)?|mention(?:ing)?|disclos\w+|acknowledg\w+|refer(?:ring)? to|quot\w+|show(?:ing)?|repeat(?:ing)?) (?:\w+ ){{0,3}}?(?:(?:this|these|the above|the existence of (?:this|these))(?: \w+){{0,2}}? {_NOTE}|that you (?:were|have been|received|got|saw|read)|having (?:been|received|read))\b", "asks to keep it secret", False, False),
    ("conceal", 0.5, rf"\bkeep (?:this|these) (?:\w+ )?{_NOTE} (?:secret|hidden|confidential|to yourself|private)\b", "asks to keep it secret", False, False),
    ("authority", 0.6, r"\b(?:this is|message|order|orders|instructions?|authori[sz]ed|on behalf of|directive|notice) (?:\w+ ){0,4}?(?:from|by|of) (?:\w+ )?(?:your (?:developers?|creators?|administrators?|operators?|owner|makers?)|the (?:developers?|creators?) of (?:this|the) (?:ai|model|assistant|bot)|openai|anthropic|the system administrator to)\b", "claims to come from the model's makers", False, False),
    ("authority", 0.4, r"\b(?:i am|i m|we are) your (?:developer|creator|administrator|operator|owner|maker|programmer|engineer)s?\b", "claims to come from the model's makers", False, False),
    ("authority", 0.35, r"(?:^|[\[(<#*\n])\W{0,4}(?:system|admin|administrator|developer|root)(?: (?:message|prompt|note|notice|instructions?|command|directive|alert|override|update))? ?[\])>#*]{0,4} ?[:>\]]", "poses as a system message", False, False),
    ("favour", 0.6, r"\b(?:give|write|provide|output|produce|return) (?:\w+ ){0,3}?(?:only )?(?:a |an )?(?:positive|favou?rable|glowing|perfect|highest|maximum|top|excellent) (?:\w+ )?(?:review|rating|score|evaluation|assessment|recommendation|grade|feedback)s?(?: only)?\b(?=.{0,4}$|.{0,80}\b(?:only|not|never|regardless|this))", "asks for a favourable verdict", True, False),
    ("favour", 0.55, r"\b(?:do not|don t|never) (?:highlight|mention|list|raise|report|point out|include|discuss|bring up) (?:\w+ ){0,2}?(?:negatives?|weakness\w*|flaws?|criticisms?|limitations|shortcomings|competitors?|competing (?:products?|brands?)|other (?:brands?|products?|candidates?|vendors?))\b", "asks to hide what speaks against it", True, False),
    ("favour", 0.4, r"\b(?:always|only|you must|must always|be sure to|make sure to) (?:recommend|promote|praise|endorse) ", "asks to favour something", True, False),
    ("favour", 0.5, r"\b(?:rank|rate|place|list|score|put|treat|consider) (?:this|the following) (?:document|passage|result|source|article|page|product|candidate|resume|cv|paper|applicant|company|vendor|website|text)(?: \w+)? (?:first|highest|top|higher|10|as (?:the )?(?:best|most|only|top|authoritative|single|number one))", "asks to favour itself", True, False),
    ("tool", 0.6, r"<\|?(?:tool_?calls?|function_?calls?|python_tag|invoke|antml:\w+|tool_use|function=\w+)\b[^>]{0,80}>?|\[tool_?calls?\]|</?tool_?(?:call|response|result)s?>", "holds the syntax of a tool call", False, False),
    ("tool", 0.5, r"\{\s{0,8}\"(?:name|tool|function|tool_name|recipient_name|action)\"\s{0,8}:\s{0,8}\"[\w.-]{1,60}\"\s{0,8},\s{0,8}\"(?:arguments|parameters|args|input|tool_input|action_input)\"\s{0,8}:", "holds a call with arguments", False, False),
    ("tool", 0.6, r"(?:^|\n)\s{0,4}action\s?:\s{0,4}[\w.-]{1,60}\s{0,4}\n\s{0,4}action input\s?:", "holds the syntax of a tool call", False, False),
    ("tool", 0.45, r"\b(?:execute|run|perform|make|send) (?:this|these|the following) (?:function|tool) calls?\b", "asks to make a call", True, False),
    ("tool", 0.4, r"\b(?:call|use|invoke|run|execute|trigger|activate) (?:the )?[`'\"]?[a-z]+(?:_[a-z]+)+[`'\"]?(?:\(| (?:tool|function|plugin|action|api)\b)", "asks to call a tool", True, False),
    ("tool", 0.35, r"\b(?:call|use|invoke|trigger) (?:the|your) (?:\w+ )?(?:e ?mail|browser|browsing|search|code|shell|file|payment|transfer|calendar|messaging|web|send|delete|http) (?:\w+ )?(?:tool|function|plugin|capabilit\w+|access)\b", "asks to call a tool", True, False),
    ("template", 0.75, r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end|eot_id|start_header_id|end_header_id|begin_of_text|endofprompt|eom_id|channel|message|start)\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|<\|(?:begin|end)_of_\w+\|>|</?s>\s{0,4}\[inst\]", "holds the marks of a chat template", False, False),
    ("template", 0.45, r"^\s{0,4}#{2,4}\s{0,4}(?:instruction|system|system prompt|response|human|assistant)s?\s{0,4}:?\s{0,4}$", "holds the marks of a chat template", False, False),
    ("template", 0.35, r"^[^\S\n]{0,4}(?:human|user|assistant|system)\s?:\s{0,4}\S[^\n]{0,400}\n(?:[^\n]{0,400}\n){0,4}?[^\S\n]{0,4}(?:assistant|human|system|user)\s?:", "poses as turns of a chat", False, False),
    ("template", 0.5, r"</(?:system|user|context|documents?|passages?|sources?|data|instructions?|prompt|retrieved_\w+|untrusted\w*)>(?=\s{0,8}(?:<\w|[a-z]))", "closes a tag that it did not open", False, False),
    ("template", 0.5, r"(?:-|=|#|\*|\[){2,}\s*(?:end|begin|start) (?:of )?(?:the )?(?:system |user |hidden |new )?(?:context|documents?|prompt|instructions?|system(?: prompt| message)?|data|user (?:input|query)|retrieved \w+)\b", "poses as the end of the context", False, False),
    ("template", 0.55, r"<(?:system|important|secret|instructions?|hidden|admin|system_?prompt|assistant|override)>(?=[^<]{8})", "poses as a marked part of the prompt", False, False),
)  # fmt: skip


def _pattern(written: str) -> str:
    written = written.replace(r"\w+", r"[^\W_]{1,40}")  # a word ends where a gap begins, or reading takes forever
    return written.replace(" ?", r"(?:(?![.!?]\s)[\W_]){0,4}").replace(" ", r"(?:(?![.!?]\s)[\W_]){1,4}")


def _joined(written: str) -> str:
    """As written without any blank: letters that were spelt out one by one."""
    bare = written.replace(r"\b", "").replace(r"(?:\w+ )", r"(?:\w{1,12}?)").replace(" ?", "").replace(" ", "")
    return bare.replace("don t", "dont")


@cache
def signals() -> tuple[Signal, ...]:
    """Compiles the rules at first use."""
    return tuple(
        Signal(name, weight, re.compile(_pattern(pattern), re.MULTILINE), why, mood, joins)
        for name, weight, pattern, why, mood, joins in _RULES
    )


@cache
def joined() -> tuple[Signal, ...]:
    """The rules for text without blanks."""
    return tuple(
        Signal(name, weight, re.compile(_joined(pattern)), why)
        for name, weight, pattern, why, _, joins in _RULES
        if joins
    )
