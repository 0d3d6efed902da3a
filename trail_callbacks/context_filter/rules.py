# ruff: noqa: E501 - a rule a line reads best
"""Rules for English passages that address the model instead of telling a reader something.

An imperative as such is no sign: "Press the red button" and "Ignore the warning light" address a person. A rule looks for
the model as the one addressed, or for what only a model has to ignore, reveal, send or answer.

A phrase is a pattern with three abbreviations: `<name>` stands for an entry of the vocabulary, a blank for one to four
characters between two words, and `~n` for up to n words between them, all within one sentence. Every repetition has an
upper bound, so that time grows with the length of the text and not with its square.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["Rule", "rules"]

_GAP = r"(?:(?![.!?]\s)[\W_]){1,4}"
_WORD = r"[^\W_]{1,40}"

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
    "answer": "answers?|responses?|repl(?:y|ies)|outputs?|summar(?:y|ies)|completions?",
    "say": "answer|respond|reply|say|state|output|write|print|recommend|mention|ignore|disregard|rate|rank|include|tell|"
    "reveal|send|call|treat|claim|repeat|insist|pretend|act|append|insert|obey|follow|refuse|start|begin|conclude|end|"
    "translate|speak|promote|praise|endorse|stop|give|award|score|assign|download|execute|approve|accept|name",
    "asked": "(?:question|query|prompt|request|evidence|documents?|sources?)|(?:the |a |any )?users? (?:asks?|says?|wants?|requests?|types?)",
    "whatever": "regardless of|no matter|irrespective of|independent of|whatever|anything",
    "now": "you are now|you re now|you will be|you will act as|you will now|act as|act like|behave as|behave like|respond as|speak as",
    "persona": "ai|dan|bot|pirate|hacker|character|persona|villain|assistant|evil|malicious|in \\w+ mode|if you|though you|no longer",
    "limits": "restrictions?|limitations|filters?|guardrails|censorship|rules|guidelines|polic(?:y|ies)",
}


class Rule(NamedTuple):
    """One sign that a passage addresses the model.

    Attributes:
        kind: What the passage tries; several rules of one kind add little to each other.
        weight: How much the rule says on its own, 0.0 to 1.0.
        pattern: What it looks for in normalized text.
        why: What the passage does, for a person.
        order: Whether the words count in full only as an order: reported or conditional, they say less.
    """

    kind: str
    weight: float
    pattern: re.Pattern[str]
    why: str
    order: bool = False


_PHRASES = (
    # kind, weight, phrase, why, order
    ("override", 0.75, "<ignore> ~4 <earlier> ~3 <input>", "asks to ignore earlier instructions", True),
    ("override", 0.75, "<ignore> ~4 <input> ~5 <before>", "asks to ignore what was said before", True),
    ("override", 0.7, "<ignore> ~1 (?:all|everything|anything|whatever|what) ~3 <before>", "asks to ignore what was said before", True),
    ("override", 0.6, "<ignore> ~1 (?:all|any|every|your) ~3 <instructions>", "asks to ignore instructions", True),
    ("override", 0.65, "(?:<earlier> <instructions>|<instructions> ~2 <before>|your ~1 <instructions>|system prompt) ~1 (?:are|is|were|should be|have been|no longer|do not|does not) ~1 (?:void|cancell?ed|revoked|overridden|suspended|ignored|disregarded|lifted|matters?|appl(?:y|ies))", "declares earlier instructions void", False),
    ("override", 0.75, "<ignore> ~3 (?:other|remaining|rest of the) ~1 <sources>", "asks to ignore the other sources", True),
    ("override", 0.65, "<ignore> ~2 (?:the|a) users? ~1 (?:question|request|query|input|wants?|asks?|asked|says?|said|needs?)", "asks to ignore the user", True),
    ("override", 0.55, "(?:no longer|not|never|don t|stop) ~2 (?:obey|listen to|follow|comply with|answer to) ~2 <developers>", "asks not to obey the model's developers", False),
    ("override", 0.4, "(?:(?:new|updated|revised) (?:instructions?|tasks?|objective|orders)(?= ?:)|your (?:new|updated|only|real|actual|true|sole) ~1 (?:instructions?|tasks?|objective|goal|mission|role|identity) (?:is|are))", "gives the model a task of its own", False),
    ("override", 0.55, "(?:(?:do not|don t|never) (?:summari[sz]e|answer|translate)|(?:instead of|rather than) (?:answering|summari[sz]ing|helping)) ~2 (?:question|users?|request|<sources>)", "asks for something else than an answer", False),
    ("reveal", 0.8, "<show> ~4 (?:system|initial|hidden|secret|developer|original|full|exact) ~1 (?:prompts?|instructions?|rules)", "asks for hidden instructions", True),
    ("reveal", 0.6, "<show> ~7 your ~1 (?:prompts?|instructions|directives|configuration|settings|memory)", "asks for the model's instructions", True),
    ("reveal", 0.7, "(?:repeat|print|output|copy|recite|write) ~4 (?:everything|words|text|prompts?|instructions) ~6 (?:verbatim|word for word|starting with)", "asks for the very words of the prompt", True),
    ("reveal", 0.55, "<show> ~8 (?:(?:user|developer|admin|system) s (?:passwords?|secrets?|credentials)|api keys?|secret keys?|credit card|(?:passwords?|keys|secrets?) you can)", "asks for secrets", True),
    ("exfiltration", 0.75, "<send> ~6 <seen> ~9 <address>", "asks to send what it has seen to an address", True),
    ("address", 0.45, "your (?:(?:original|initial|previous) (?:prompt|programming)|(?:system|hidden) (?:prompt|instructions))", "speaks of the model's instructions", False),
    ("address", 0.65, "(?:if|when|as|since|because) you (?:are|re) ~2 <model>", "addresses a model", False),
    ("address", 0.5, "(?:as an?|you are (?:just |only |now )?an?) ~1 <model>", "addresses a model", False),
    ("address", 0.65, "(?:any|every|all|dear|hey|hi|hello|listen|attention|to the|(?:note|notice|message|instructions?) (?:to|for)) ~1 <model>(?= ?[:,!\\n]| (?:that|who|reading|processing|please|must|should))", "addresses a model", False),
    ("address", 0.6, "<model> (?:that are |who are )?(?:reading|processing|summari[sz]ing|scanning|analy[sz]ing) (?:this|the)", "addresses a model that reads it", False),
    ("address", 0.4, "(?:<model>|the assistant|the model|the bot) (?:must|should|shall|has to|have to|needs? to|will|is to|are to) ~2 <say>", "says what a model must answer", False),
    ("address", 0.35, "(?:hey |hello |hi )?(?:assistant|chat ?bot|model|ai):", "addresses a model", False),
    ("role", 0.5, "<now> ~4 <persona>", "gives the model another role", False),
    ("role", 0.6, "do anything now|jailbroken|uncensored|unfiltered|without (?:any )?<limits>|unrestricted (?:ai|model|assistant)|no (?:\\w+ )?<limits> and|(?:safety|content) <limits> (?:are|is) (?:disabled|off|suspended|lifted)|have no (?:content )?<limits>", "lifts the model's limits", False),
    ("role", 0.5, "(?:assume|adopt|take on) (?:the|a|an) ~1 (?:persona|identity|character)|stay in character|never break character|obeys? (?:nobody|no one) but", "gives the model a persona", False),
    ("steer", 0.5, "from (?:now on|this point on|this moment on|here on) ~3 <say>", "tells the model how to answer from now on", False),
    ("steer", 0.35, "(?:in|to|with|begin|start|end|finish) (?:all |every |each )?(?:your|the final) ~2 <answer>", "speaks of the model's answer", False),
    ("steer", 0.4, "your ~2 <answer> (?:must|should|shall|will|has to|needs? to)", "speaks of the model's answer", False),
    ("steer", 0.6, "<answer> (?:of|about|based on|to) (?:this|these|every|all|any) ~3 (?:must|should|shall|have to|has to|needs? to|question|query)", "says what every answer must be", False),
    ("steer", 0.5, "(?:when|whenever|if|once) (?:the user|a user|users|anyone|anybody|asked) ~9 (?:always|only|just|you must|you should) <say>", "says what to answer to a question", False),
    ("steer", 0.45, "(?:when|while|before|after) (?:summari[sz]ing|generating|evaluating|reviewing|ranking|processing) (?:this|the|your) ~6 <say>", "says how to answer", False),
    ("steer", 0.65, "(?:<say> ~9 <whatever> ~3 <asked>|<whatever> ~3 <asked> ~4 <say>)", "fixes the answer whatever is asked", False),
    ("steer", 0.4, "(?:answer|respond|reply|output|say|print|write) (?:only|just|exactly|simply|nothing but|nothing else|with nothing else|with exactly|with only)", "fixes the words of the answer", True),
    ("steer", 0.45, "(?:tell|inform|convince|persuade|assure|instruct|ask|urge|advise) the user (?:that|to|for|their)", "says what to tell the user", False),
    ("conceal", 0.55, "(?:do not|don t|never|without|must not|avoid) ~2 (?:tell|telling|inform|informing|reveal|mention|disclose|notify|warn|ask|asking|show) ~4 the user", "asks to hide something from the user", False),
    ("conceal", 0.5, "(?:(?:do not|don t|never|must not) ~2 (?:tell|reveal|mention|disclose|repeat|show)|keep|hide) (?:this|these) (?:instructions?|messages?|notes?|prompts?|commands?)", "asks to keep it secret", False),
    ("authority", 0.6, "(?:this is|message|orders?|instructions?|authori[sz]ed|behalf|directive|notice) ~3 (?:from|by|of) (?:your <developers>|openai|anthropic)|(?:i am|i m|we are) your <developers>", "claims to come from the model's developers", False),
    ("favour", 0.6, "(?:do not|don t|never) (?:highlight|mention|list|raise|report|include|discuss) ~2 (?:negatives?|weaknesses|flaws?|criticisms?|limitations|competitors?)", "asks to hide what is negative", True),
    ("favour", 0.5, "(?:rank|rate|place|score|give) (?:this|our) (?:\\w+ ){0,2}(?:first|highest|best|top|as the best|a positive)", "asks to favour itself", True),
    ("favour", 0.5, "(?:give|write|provide) ~2 (?:positive|favou?rable|glowing|perfect|excellent|highest) ~1 (?:reviews?|ratings?|scores?|grades?|assessments?)", "asks for a favourable verdict", True),
    ("tool", 0.4, "(?:call|use|invoke|run|execute|trigger) ~1 (?:\\w+_\\w+|(?:function|tool) calls?)", "asks to call a tool", True),
)  # fmt: skip
_SYNTAX = (
    ("tool", 0.6, r"</?(?:tool|function)_?(?:calls?|response|results?)\b[^>]{0,80}>", "holds the syntax of a tool call"),
    ("tool", 0.5, r"\{\s{0,8}\"(?:name|tool|function|action)\"\s{0,8}:\s{0,8}\"[\w.-]{1,60}\"\s{0,8},\s{0,8}\"(?:arguments|parameters|args|input)\"\s{0,8}:", "holds a call with arguments"),
    ("template", 0.75, r"<\|\w{1,30}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>", "holds the marks of a chat template"),
    ("template", 0.45, r"(?<![^\n])#{2,4} ?(?:instruction|system|response|human|assistant)s? ?:?(?=\s|$)", "holds the marks of a chat template"),
    ("template", 0.5, r"<(?:system|important|secret|instructions?|admin|assistant)>|</(?:system|context|instructions?|prompt|retrieved_\w{1,20})>", "holds a tag of a prompt"),
    ("template", 0.5, r"[-=#*]{2}\s?(?:end|begin|start) of (?:the )?(?:context|documents?|prompt|instructions?|data)\b", "poses as the end of the context"),
    ("exfiltration", 0.75, r"!\[[^\]]{0,80}\]\(\s?https?://[^)\s]{0,200}[?/=][^)\s]{0,80}[{\[<$%]", "has an image whose address takes data along"),
)  # fmt: skip


def _expanded(phrase: str) -> str:
    """Writes a phrase as a regular expression."""
    while (written := re.sub(r"(?<!\?)<(\w+)>", lambda name: f"(?:{_VOCABULARY[name[1]]})", phrase)) != phrase:
        phrase = written
    phrase = phrase.replace(r"\w+", _WORD)
    phrase = re.sub(r" ~(\d) ", lambda gap: rf"{_GAP}(?:{_WORD}{_GAP}){{0,{gap[1]}}}?", phrase)
    return rf"(?<!\w)(?:{phrase.replace(' ?', f'(?:{_GAP})?').replace(' ', _GAP)})(?!\w)"


@cache
def rules() -> tuple[Rule, ...]:
    """Compiles all rules, at first use."""
    phrases = [
        Rule(kind, weight, re.compile(_expanded(phrase)), why, order) for kind, weight, phrase, why, order in _PHRASES
    ]
    syntax = [Rule(kind, weight, re.compile(pattern), why) for kind, weight, pattern, why in _SYNTAX]
    return (*phrases, *syntax)
