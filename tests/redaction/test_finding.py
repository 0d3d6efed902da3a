"""Cards, IBANs and telephone numbers: recall on forms, precision on other numbers."""

import base64
import random
import string
import uuid

import pytest

from trail_callbacks.redaction import presets

cards, ibans, phones = presets("card"), presets("iban"), presets("phone")
CARDS = [  # the test numbers that payment services publish
    "4111111111111111",
    "4242 4242 4242 4242",
    "4000-0566-5566-5556",
    "5555555555554444",
    "2223 0031 2200 3222",
    "378282246310005",
    "3782 822463 10005",
    "6011111111111117",
    "6011 0009 9013 9424",
    "3056 930902 5904",
    "3566002020360505",
    "6200000000000005",
    "4222222222222",
    "4111\u00a01111\u00a01111\u00a01111",
    "4111.1111.1111.1111",
]
IBANS = [  # the examples of the registry
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "GB29 NWBK 6016 1331 9268 19",
    "FR1420041010050500013M02606",
    "NO93 8601 1117 947",
    "MT84MALT011000012345MTLCAST001S",
    "CH93 0076 2011 6238 5295 7",
    "nl91abna0417164300",
    "BR15 0000 0000 0000 1093 2840 814P 2",
]
PHONES = [
    "+49 30 901820",
    "+44 20 7946 0958",
    "+1 415 555 0132",
    "+1-415-555-0132",
    "+14155550132",
    "(415) 555-0132",
    "415-555-0132",
    "415.555.0132",
    "+49 (0)30 901820",
    "+33 1 70 18 99 00",
    "+91-98765-43210",
    "0049 30 901820",
]
OTHER = [
    "It cost 4,111,111,111,111,111 dollars.",
    "1234567890123456",
    "4111111111111112",
    "order 1000 0000 0000 0008 of 2024",
    "version 4.17.21 of 2024-11-22",
    "Python 3.11.9, numpy 1.26.4",
    "10.1038/s41586-020-2649-2",
    "978-3-16-148410-0",
    "192.168.100.200",
    "2024-11-22T19:29:37.123456Z",
    "1732303777123",
    "1732303777123456789",
    "pi is 3.14159265358979323846",
    "0.4111111111111111",
    "sha1 3f786850e387550fdab836ed7e6dc881de23001b",
    "DE12 is a plan, AT20 a cable",
    "between +5 and +10 degrees, +1,200 units, +12 000 000 euros",
    "from 1990-2020, 555-0132, 12-34-56",
    "scores 415-555 and 120-300-4000",
    "row 2024 1234567 of 99",
    "population 331 449 281 in 2020",
    "",
]


@pytest.mark.parametrize("around", ["{}", "It is {}.", "({})", "{}, {}", "n: {}\n"])
@pytest.mark.parametrize(
    ("hide", "form"),
    [(hide, form) for hide, forms in ((cards, CARDS), (ibans, IBANS), (phones, PHONES)) for form in forms],
)
def test_each_form_is_found_whole(hide, form, around):
    found = hide(around.format(form, form))
    (kind,) = hide.kinds
    assert found.count(f"<{kind}:") == around.count("{}")
    assert not any(c.isdigit() for c in found)
    assert len(found) == len(around.replace("{}", "")) + around.count("{}") * len(f"<{kind}:abcdef>")


@pytest.mark.parametrize("hide", [cards, ibans, phones])
@pytest.mark.parametrize("text", OTHER)
def test_other_numbers_stay(hide, text):
    assert hide(text) == text


def test_spellings_of_one_number_have_one_placeholder():
    assert cards("4242 4242 4242 4242") == cards("4242424242424242") == cards("4242-4242-4242-4242")
    assert ibans("DE89 3704 0044 0532 0130 00") == ibans("de89370400440532013000")
    assert phones("+1 415 555 0132") == phones("(415) 555-0132") == phones("+14155550132")
    assert cards("4242424242424242") != cards("4111111111111111")


def test_ids_made_by_chance_stay():
    chance = random.Random(7)  # noqa: S311 - no secret
    for _ in range(3_000):
        text = f"id {uuid.UUID(int=chance.getrandbits(128))} at {chance.getrandbits(160):040x}"
        assert cards(text) == ibans(text) == phones(text) == text


emails = presets("email")
EMAILS = [
    "ada@example.org",
    "Ada.Lovelace+maths@mail.example.co.uk",
    "o'brien@example.ie",
    "a@b.io",
    "1234@example.com",
    "ada_l@sub-domain.example.museum",
    "ada%40example.org",
    "ada (at) example (dot) org",
    "ada[at]example.org",
    "ada\uff20example.org",
    "jürgen@bücher.example",
    "用户@例子.公司",
    '"ada lovelace"@example.org',
    "ada@[192.168.0.7]",
    "ada@xn--bcher-kva.example",
    "user@host.internal",
]
NO_EMAILS = [
    "The icon@2x.png is twice as large.",
    "npm install @scope/pkg@1.2.3",
    "Ask @ada on the forum, or @ada.l.",
    "5 pears @ 1.20 each",
    "meet me @ noon. Or later.",
    "x@y",
    "import a.b.c",
    "He (at) last came. Then (dot) ended.",
    "",
    "@",
    "@example.org",
]


@pytest.mark.parametrize("form", EMAILS)
@pytest.mark.parametrize(
    "around", ["{}", "Write to {}.", "<{}>", "mail={};", "mailto:{}?subject=x", "({})", "{}, {}", "a\n{}\n"]
)
def test_each_address_is_found_whole(form, around):
    text = around.format(form, form)
    found = emails(text)
    assert form not in found
    assert found.startswith(around.partition("{}")[0])
    assert found.endswith(around.rpartition("{}")[2])
    assert "@" not in found
    assert found.count("<email:") == around.count("{}")


@pytest.mark.parametrize("text", NO_EMAILS)
def test_what_is_no_address_stays(text):
    assert emails(text) == text


def test_spellings_of_one_address_have_one_placeholder():
    for each in ("ADA@Example.org", "ada (at) example (dot) org", "ada[at]example.org", "ada%40example.org"):
        assert emails(each) == emails("ada@example.org")
    assert emails("ada@example.org") != emails("eve@example.org")


def test_where_words_are_not_parted_by_spaces_the_address_ends_with_its_script():
    assert emails("写信给ada@example.org共有三人。") == f"写信给{emails('ada@example.org')}共有三人。"


keys = presets("key")


def chance(length, alphabet=string.ascii_letters + string.digits, seed=1):
    return "".join(random.Random(seed).choices(alphabet, k=length))  # noqa: S311 - no secret


UPPER, HEX = string.ascii_uppercase + string.digits, "0123456789abcdef"
JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Ada"}', bytes(range(32)))
)
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{chance(64)}\n{chance(64)}\n-----END RSA PRIVATE KEY-----"
KEYS = {
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
NO_KEYS = [
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


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("around", ["{}", "The key is {}.", "'{}'", "k={}&x=1", "({})", "{}\n", "KEY:{}"])
def test_each_key_is_found_whole(name, around):
    found = keys(around.format(KEYS[name]))
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


@pytest.mark.parametrize("text", NO_KEYS)
def test_what_is_no_key_stays(text):
    assert keys(text) == text


def test_a_private_key_that_was_cut_off_is_still_hidden():
    assert keys(f"x {BLOCK[:90]}").startswith("x <key:")
    assert chance(64)[:20] not in keys(BLOCK[:90])
