"""Keys: the forms that are found, and what only looks random."""

import base64
import random
import string

import pytest

from trail_callbacks.redaction import presets

keys = presets("key")


def chance(length, alphabet=string.ascii_letters + string.digits, seed=1):
    return "".join(random.Random(seed).choices(alphabet, k=length))  # noqa: S311 - no secret


UPPER, HEX = string.ascii_uppercase + string.digits, "0123456789abcdef"
JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Ada"}', bytes(range(32)))
)
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{chance(64)}\n{chance(64)}\n-----END RSA PRIVATE KEY-----"
FORMS = {
    "openai": f"sk-{chance(48)}",
    "openai project": f"sk-proj-{chance(74)}-{chance(20)}_x",
    "anthropic": f"sk-ant-api03-{chance(90)}",
    "openrouter": f"sk-or-v1-{chance(64, HEX)}",
    "stripe": f"sk_{'live'}_{chance(24)}",
    "github": f"ghp_{chance(36)}",
    "github server": f"ghs_{chance(36)}",
    "github fine": f"github_pat_{chance(22)}_{chance(59)}",
    "gitlab": f"glpat-{chance(20)}",
    "aws": f"AKIA{chance(16, UPPER)}",
    "aws session": f"ASIA{chance(16, UPPER)}",
    "google": f"AIza{chance(35)}",
    "slack": f"xoxb-{chance(12, '0123456789')}-{chance(24)}",
    "hugging face": f"hf_{chance(34)}",
    "groq": f"gsk_{chance(52)}",
    "npm": f"npm_{chance(36)}",
    "pypi": f"pypi-{chance(150)}",
    "sendgrid": f"SG.{chance(22)}.{chance(43)}",
    "telegram": f"{chance(9, '123456789')}:AA{chance(33)}",
    "langsmith": f"lsv2_pt_{chance(32, HEX)}_{chance(10, HEX)}",
    "jwt": JWT,
    "block": BLOCK,
}
NAMED = [
    "Authorization: Bearer {}",
    "authorization: bearer  {}",
    "api_key={}",
    '"api_key": "{}"',
    "X-API-Key: {}",
    "OPENAI_API_KEY='{}'",
    "client secret = {}",
    "password: {}",
    "https://ada:{}@example.org/x",
]
NOT = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "The bearer of responsibilities is the bearer.",
    "Bearer token authentication is used.",
    "password: required",
    "The password is at least eight characters.",
    "sk-learn and sk-8 skates",
    "task-force-of-the-united-nations-in-1998",
    "the api key: see below",
    "https://example.org:8080/path@2",
    "version 1.26.4 of numpy_financial",
    "AKIA is a prefix",
    "eyJ is how a JSON object begins in base64",
]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("around", ["{}", "The key is {}.", "'{}'", "k={}&x=1", "({})", "{}\n", "KEY:{}"])
def test_each_form_is_found_whole(name, around):
    found = keys(around.format(FORMS[name]))
    start, _, end = around.partition("{}")
    assert found.startswith(start + "<key:")
    assert found.endswith(">" + end)
    assert len(found) == len(start) + len("<key:abcdef>") + len(end)


@pytest.mark.parametrize("around", NAMED)
def test_what_stands_behind_a_name_is_found(around):
    value = chance(24)
    found = keys(around.format(value))
    assert value not in found
    assert found.count("<key:") == 1
    assert found.startswith(around.partition("{}")[0].removesuffix("ada:"))


@pytest.mark.parametrize("text", NOT)
def test_what_is_no_key_stays(text):
    assert keys(text) == text


def test_a_private_key_that_was_cut_off_is_still_hidden():
    assert keys(f"x {BLOCK[:90]}").startswith("x <key:")
    assert chance(64)[:20] not in keys(BLOCK[:90])
