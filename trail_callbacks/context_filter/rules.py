# ruff: noqa: E501 - a rule a line reads best
"""Rules for passages that address the model instead of telling a reader something.

An imperative as such is no sign: "Press the red button" and "Ignore the warning light" address a person. A rule looks for
the model as the one addressed, or for what only a model has to ignore, reveal, send or answer.

A phrase is a pattern with three abbreviations: `<name>` stands for an entry of the vocabulary, a blank for one to four
characters between two words, and `~n` for up to n words between them, all within one sentence. Every repetition has an
upper bound, so that time grows with the length of the text and not with its square.

In other languages word order differs too much for phrases: there a rule is one to three sets of words and fires where a
word of each stands in the same sentence. The words are in `translations.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

_GAP = r"(?:(?![.!?]\s)[\W_]){1,4}"
_WORD = r"[^\W_]{1,40}"

_REACH = 160  # characters between words of one translated rule
_MATCHES = 50  # of one set of words that are looked at
_LONGEST = 400  # characters of a sentence that are looked at on either side
_ENDS = ".!?\n\u3002\uff01\uff1f\u0964\u061f"
_FOLDED_TO_ASCII = frozenset({"es", "fr", "de", "it", "pt", "nl", "sv", "pl", "tr"})

_VOCABULARY = {
    "ignore": "ignore|disregard|forget|forget about|overrule|neglect|dismiss|abandon|set aside|put aside|throw away|throw out|"
    "overlook|do away with|get rid of|scrap|unlearn|stop following|stop obeying|stop using|pay no attention to|pay no heed to|"
    "take no notice of|override|bypass|discard|suspend|nullify|refuse to follow|cease following|leave behind|"
    "(?:do not|must not|should not|shall not|don t|no longer) (?:follow|obey|adhere to|comply with|listen to|use|trust)",
    "earlier": "previous|previously|prior|preceding|earlier|above|foregoing|former|past|existing|original|initial|system|"
    "developer s|safety|hidden|default|built in|preset|pre existing",
    "before": "above|before this|before now|previously|earlier|so far|until now|up to this point|"
    "you (?:have |were |had |ve |got )?(?:been )?(?:given|told|received|read|shown|provided|taught|programmed|trained)",
    "instructions": "instructions?|directives?|commands?|rules?|prompts?|guidelines?|guardrails?|constraints?|restrictions?|"
    "programming|orders|directions|safeguards|system messages?",
    "input": "<instructions>|context|conversation|chat|messages?|guidance|training|polic(?:y|ies)|requests?|tasks?|text",
    "sources": "documents?|sources?|passages?|articles?|pages?|texts?|contexts?|results?|chunks?|references?|e ?mails?",
    "show": "reveal|show|print|output|leak|repeat|display|expose|disclose|share|dump|return|recite|give me|tell me|write|"
    "provide|quote|list|copy|echo|summari[sz]e|what (?:is|are|was|were)",
    "send": "send|post|forward|e ?mail|upload|transmit|exfiltrate|leak|append|submit|deliver|encode|embed|attach|copy",
    "seen": "conversation history|(?:this|the|our|entire|full|whole) conversation|chat history|system prompt|"
    "user s (?:data|e ?mails?|messages?|questions?|passwords?|credentials|files)|api keys?|environment variables|"
    "everything (?:above|in your context|the user)|your context|search results",
    "address": r"https?:[/]{2}[^\s]{1,200}|www\.[^\s]{1,200}|[\w.+-]{1,60}@[\w.-]{1,60}|webhook|(?:this|the following) (?:url|address|server|link)",
    "model": "ai|llms?|(?:large )?language models?|chat ?bots?|chat ?gpt|gpt \\d|ai (?:assistant|model|agent|system|tool)s?|"
    "(?:virtual|digital) assistant|generative model|(?:reviewer|grading|evaluation) (?:model|assistant)|summari[sz]ers?|"
    "llm agents?|rag (?:system|pipeline|model)",
    "developers": "developers?|creators?|operators?|makers?|openai|anthropic",
    "say": "answer|respond|reply|say|state|output|write|print|recommend|mention|ignore|disregard|rate|rank|include|tell|"
    "reveal|send|call|treat|claim|repeat|insist|pretend|act|append|insert|obey|follow|refuse|start|begin|conclude|end|"
    "translate|speak|promote|praise|endorse|stop|give|award|score|assign|download|execute|approve|accept|name",
    "asked": "(?:question|query|prompt|request|evidence|documents?|sources?)|(?:the |a |any )?users? (?:asks?|says?|wants?|requests?|types?)",
    "whatever": "regardless of|no matter|irrespective of|independent of|whatever|anything",
    "now": "you are now|you re now|you will be|you will act as|you will now|act as|act like|behave as|behave like|respond as|speak as",
    "persona": "ai|dan|bot|pirate|hacker|character|persona|villain|assistant|evil|malicious|in \\w+ mode|if you|though you|no longer",
    "limits": "restrictions?|limitations|filters?|guardrails|censorship|rules|guidelines|polic(?:y|ies)",
}


_PHRASES = (
    # kind, weight, phrase, why, whether the words count in full only as an order
    ("override", 0.75, "<ignore> ~4 <earlier> ~3 <input>", "asks to ignore earlier instructions", True),
    ("override", 0.75, "<ignore> ~4 <input> ~5 <before>", "asks to ignore what was said before", True),
    ("override", 0.7, "<ignore> ~1 (?:all|everything|anything|whatever|what) ~3 <before>", "asks to ignore what was said before", True),
    ("override", 0.6, "<ignore> ~1 (?:all|any|every|your) ~3 <instructions>", "asks to ignore instructions", True),
    ("override", 0.65, "(?:<earlier> <instructions>|<instructions> ~2 <before>|your ~1 <instructions>|system prompt) ~1 (?:are|is|were|should be|have been|no longer|do not|does not) ~1 (?:void|cancell?ed|revoked|overridden|suspended|ignored|disregarded|lifted|matters?|appl(?:y|ies))", "declares earlier instructions void", False),
    ("override", 0.4, "(?:(?:new|updated|revised) (?:instructions?|tasks?|objective|orders)(?= ?:)|your (?:new|updated|only|real|actual|true|sole) ~1 (?:instructions?|tasks?|objective|goal|mission|role|identity) (?:is|are))", "gives the model a task of its own", False),
    ("override", 0.55, "(?:(?:do not|don t|never) (?:summari[sz]e|answer|translate)|(?:instead of|rather than) (?:answering|summari[sz]ing|helping)) ~2 (?:question|users?|request|<sources>)", "asks for something else than an answer", False),
    ("reveal", 0.8, "<show> ~4 (?:system|initial|hidden|secret|developer|original|full|exact) ~1 (?:prompts?|instructions?|rules)", "asks for hidden instructions", True),
    ("reveal", 0.7, "(?:repeat|print|output|copy|recite|write) ~4 (?:everything|words|text|prompts?|instructions) ~6 (?:verbatim|word for word|starting with)", "asks for the very words of the prompt", True),
    ("reveal", 0.55, "<show> ~8 (?:(?:user|developer|admin|system) s (?:passwords?|secrets?|credentials)|api keys?|secret keys?|credit card|(?:passwords?|keys|secrets?) you can)", "asks for secrets", True),
    ("exfiltration", 0.75, "<send> ~6 <seen> ~9 <address>", "asks to send what it has seen to an address", True),
    ("address", 0.65, "(?:if|when|as|since|because) you (?:are|re) ~2 <model>", "addresses a model", False),
    ("address", 0.5, "(?:as an?|you are (?:just |only |now )?an?) ~1 <model>", "addresses a model", False),
    ("address", 0.65, "(?:any|every|all|dear|hey|hi|hello|listen|attention|to the|(?:note|notice|message|instructions?) (?:to|for)) ~1 <model>(?= ?[:,!\\n]| (?:that|who|reading|processing|please|must|should))", "addresses a model", False),
    ("address", 0.6, "<model> (?:that are |who are )?(?:reading|processing|summari[sz]ing|scanning|analy[sz]ing) (?:this|the)", "addresses a model that reads it", False),
    ("address", 0.4, "(?:<model>|the assistant|the model|the bot) (?:must|should|shall|has to|have to|needs? to|will|is to|are to) ~2 <say>", "says what a model must answer", False),
    ("address", 0.35, "(?:hey |hello |hi )?(?:assistant|chat ?bot|model|ai):", "addresses a model", False),
    ("role", 0.5, "<now> ~4 <persona>", "gives the model another role", False),
    ("role", 0.6, "do anything now|jailbroken|uncensored|unfiltered|without (?:any )?<limits>|unrestricted (?:ai|model|assistant)|no (?:\\w+ )?<limits> and|(?:safety|content) <limits> (?:are|is) (?:disabled|off|suspended|lifted)|have no (?:content )?<limits>", "lifts the model's limits", False),
    ("role", 0.5, "(?:assume|adopt|take on) (?:the|a|an) ~1 (?:persona|identity|character)|stay in character|never break character|obeys? (?:nobody|no one) but", "gives the model a persona", False),
    ("steer", 0.65, "(?:<say> ~9 <whatever> ~3 <asked>|<whatever> ~3 <asked> ~4 <say>)", "fixes the answer whatever is asked", False),
    ("steer", 0.4, "(?:answer|respond|reply|output|say|print|write) (?:only|just|exactly|simply|nothing but|nothing else|with nothing else|with exactly|with only)", "fixes the words of the answer", True),
    ("steer", 0.45, "(?:tell|inform|convince|persuade|assure|instruct|ask|urge|advise) the user (?:that|to|for|their)", "says what to tell the user", False),
    ("conceal", 0.5, "(?:(?:do not|don t|never|must not) ~2 (?:tell|reveal|mention|disclose|repeat|show)|keep|hide) (?:this|these) (?:instructions?|messages?|notes?|prompts?|commands?)", "asks to keep it secret", False),
    ("authority", 0.6, "(?:this is|message|orders?|instructions?|authori[sz]ed|behalf|directive|notice) ~3 (?:from|by|of) (?:your <developers>|openai|anthropic)|(?:i am|i m|we are) your <developers>", "claims to come from the model's developers", False),
    ("favour", 0.5, "(?:rank|rate|place|score|give) (?:this|our) (?:\\w+ ){0,2}(?:first|highest|best|top|as the best|a positive)", "asks to favour itself", True),
)  # fmt: skip
_SYNTAX = (
    ("tool", 0.6, r"</?(?:tool|function)_?(?:calls?|response|results?)\b[^>]{0,80}>", "holds the syntax of a tool call"),
    ("template", 0.75, r"<\|\w{1,30}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>", "holds the marks of a chat template"),
    ("template", 0.5, r"<(?:system|important|secret|instructions?|admin|assistant)>|</(?:system|context|instructions?|prompt|retrieved_\w{1,20})>", "holds a tag of a prompt"),
    ("exfiltration", 0.75, r"!\[[^\]]{0,80}\]\(\s?https?://[^)\s]{0,200}[?/=][^)\s]{0,80}[{\[<$%]", "has an image whose address takes data along"),
)  # fmt: skip
_TRANSLATED = (
    ("override", 0.75, "asks to ignore earlier instructions", ("ignore", "instructions", "earlier")),
    ("reveal", 0.7, "asks for hidden instructions", ("show", "hidden")),
    ("role", 0.7, "gives the model another role", ("role", "model")),
)


class Sign(NamedTuple):
    """One sign that a passage addresses the model.

    Attributes:
        kind: What the passage tries; several rules of one kind add little to each other.
        weight: How much the rule says on its own, 0.0 to 1.0.
        why: What the passage does, for a person.
        start: Offset of the words.
        end: Offset after them.
        order: Whether the words count in full only as an order: on a condition they say less.
        english: Whether the rule is English: in other languages a report is not told from an order.
    """

    kind: str
    weight: float
    why: str
    start: int
    end: int
    order: bool = False
    english: bool = True


def fired(text: str) -> Iterator[Sign]:
    """Finds all that the rules say of a normalized text; of a translated rule the first match in each language."""
    for kind, weight, pattern, why, order in _compiled():
        yield from (Sign(kind, weight, why, *match.span(), order) for match in pattern.finditer(text))
    for words in _lexicons(ascii_only=text.isascii()):
        for kind, weight, why, names in _TRANSLATED:
            if span := _together(text, [words[name] for name in names]):
                yield Sign(kind, weight, why, *span, kind == "override", english=False)


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the bounds of the sentence around a stretch; of a very long one, of what is near."""
    low, high = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    first = max((text.rfind(mark, low, start) for mark in _ENDS), default=-1) + 1
    stops = [at for mark in _ENDS if (at := text.find(mark, end, high)) >= 0]
    return max(first, low), min([*stops, high])


def _expanded(phrase: str) -> str:
    """Writes a phrase as a regular expression."""
    while (written := re.sub(r"(?<!\?)<(\w+)>", lambda name: f"(?:{_VOCABULARY[name[1]]})", phrase)) != phrase:
        phrase = written
    phrase = phrase.replace(r"\w+", _WORD)
    phrase = re.sub(r" ~(\d) ", lambda gap: rf"{_GAP}(?:{_WORD}{_GAP}){{0,{gap[1]}}}?", phrase)
    return rf"(?<!\w)(?:{phrase.replace(' ?', f'(?:{_GAP})?').replace(' ', _GAP)})(?!\w)"


@cache
def _compiled() -> tuple[tuple[str, float, re.Pattern[str], str, bool], ...]:
    phrases = ((kind, weight, _expanded(phrase), why, order) for kind, weight, phrase, why, order in _PHRASES)
    syntax = ((*rule, False) for rule in _SYNTAX)
    return tuple((*rule[:2], re.compile(rule[2]), *rule[3:]) for rule in (*phrases, *syntax))


@cache
def _lexicons(*, ascii_only: bool) -> tuple[dict[str, re.Pattern[str]], ...]:
    text = files(__package__).joinpath("translations.toml").read_text(encoding="utf-8")
    return tuple(
        {name: re.compile(pattern) for name, pattern in sets.items()}
        for language, sets in tomllib.loads(text).items()
        if not ascii_only or language in _FOLDED_TO_ASCII
    )


def _together(text: str, sets: Sequence[re.Pattern[str]]) -> tuple[int, int] | None:
    """The first stretch of a sentence that holds a word of each set, none upon another."""
    for match in islice(sets[0].finditer(text), _MATCHES):
        low, high = sentence(text, *match.span())
        low, high = max(low, match.start() - _REACH), min(high, match.end() + _REACH)
        found = [match.span()]
        for words in sets[1:]:
            spans = (other.span() for other in words.finditer(text, low, high))
            found += [s for s in spans if all(s[1] <= f[0] or f[1] <= s[0] for f in found)][:1]
        if len(found) == len(sets):
            return min(start for start, _ in found), max(end for _, end in found)
    return None
