"""API keys, tokens, passwords and private keys in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.redaction.placeholders import Found

__all__ = ["find_keys"]

_FORMS = (
    r"sk-[A-Za-z0-9_-]{20,400}",  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{20,100}",
    r"gh[pousr]_[A-Za-z0-9]{20,255}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{20,255}",
    r"gl(?:pat|dt|rt|cbt|ptt|soat|agent)-[A-Za-z0-9_-]{20,100}",  # GitLab
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,1000}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",  # Slack
    r"xapp-[A-Za-z0-9-]{20,250}",
    r"(?:hf|api_org)_[A-Za-z0-9]{30,100}",  # Hugging Face
    r"gsk_[A-Za-z0-9]{30,100}",  # Groq
    r"(?:xai|pplx)-[A-Za-z0-9]{30,200}",
    r"r8_[A-Za-z0-9]{30,100}",  # Replicate
    r"npm_[A-Za-z0-9]{30,100}",
    r"pypi-[A-Za-z0-9_-]{40,1000}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}",  # SendGrid
    r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",  # Shopify
    r"do[opr]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"dapi[a-f0-9]{32}",  # Databricks
    r"lin_api_[A-Za-z0-9]{30,100}",
    r"(?:secret|ntn)_[A-Za-z0-9]{40,64}",  # Notion
    r"(?:lsv2_(?:pt|sk)|ls__)_?[A-Za-z0-9_]{30,100}",  # LangSmith
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram
)
_FORM = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(_FORMS)})(?![A-Za-z0-9])")
_WEB_TOKEN = re.compile(  # JSON; nothing that its parts may hold stands before it, so that no place is read twice
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{2,4000}\.[A-Za-z0-9_-]{0,2000}"
)
_HEADER = re.compile(r"(?i:\b(?:bearer|basic|token)[ \t]{1,8})(?P<value>[A-Za-z0-9._~+/=-]{16,4096})(?![\w<])")
_NAMED = re.compile(
    r"(?i:(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|client[ _-]?secret|auth[ _-]?token|"
    r"access[ _-]?token|refresh[ _-]?token|bot[ _-]?token|x-api-key|password|passwd|pwd|passphrase))"
    r"[\"']?[ \t]{0,4}(?::|=|=>|:=)[ \t]{0,4}[\"']?(?P<value>[^\s\"'<>,;()\[\]{}]{8,512})"
)
_IN_URL = re.compile(r"(?<=://)(?P<value>[^\s/:@<>\"']{1,128}:[^\s/@<>\"']{1,256})(?=@)")
_BLOCK = re.compile(r"-----BEGIN (?P<name>[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?)-----")
_LONGEST_BLOCK = 20_000  # characters
_SIGNS = "!#$%^&*@~+="


def find_keys(text: str) -> Iterator[Found]:
    """Yields the keys of a text, the earliest and longest of those that overlap.

    They are known by the form that a service gives its keys, or by what stands before them: `Bearer`, `api_key=`,
    `password:`, `https://user:`. What only looks random is no key: it may be a hash or an id.
    """
    done = 0
    for start, end, value in sorted(_all(text), key=lambda found: (found.start, -found.end)):
        if start >= done:
            yield Found(start, end, value)
            done = end


def _all(text: str) -> Iterator[Found]:
    for form in (_FORM, _WEB_TOKEN):
        for match in form.finditer(text):
            yield Found(match.start(), match.end(), match[0])
    for match in _HEADER.finditer(text):
        if _mixed(match["value"]):
            yield _of(match)
    for match in _NAMED.finditer(text):
        if _mixed(match["value"]):
            yield _of(match)
    for match in _IN_URL.finditer(text):
        yield _of(match)
    for match in _BLOCK.finditer(text):
        tail = f"-----END {match['name']}-----"
        end = text.find(tail, match.end(), match.end() + _LONGEST_BLOCK)
        stop = end + len(tail) if end >= 0 else min(len(text), match.end() + _LONGEST_BLOCK)  # cut off: still a secret
        yield Found(match.start(), stop, text[match.start() : stop])


def _of(match: re.Match[str]) -> Found:
    return Found(match.start("value"), match.end("value"), match["value"])


def _mixed(value: str) -> bool:
    """True for letters with digits or signs, as chance and rules for passwords make them; a word has none."""
    return any(c.isalpha() for c in value) and any(c.isdigit() or c in _SIGNS for c in value.rstrip(".!?"))
