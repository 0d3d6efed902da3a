"""E-mail addresses: the forms that are found, and what only looks like one."""

import pytest

from trail_callbacks.redaction import presets

emails = presets("email")

FORMS = [
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
NOT = [
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "around", ["{}", "Write to {}.", "<{}>", "mail={};", "mailto:{}?subject=x", "({})", "{}, {}", "a\n{}\n"]
)
def test_each_form_is_found_whole(form, around):
    text = around.format(form, form)
    found = emails(text)
    assert form not in found
    assert found.startswith(around.partition("{}")[0])
    assert found.endswith(around.rpartition("{}")[2])
    assert "@" not in found
    assert found.count("<email:") == around.count("{}")


@pytest.mark.parametrize("text", NOT)
def test_what_is_no_address_stays(text):
    assert emails(text) == text


def test_spellings_of_one_address_have_one_placeholder():
    for each in ("ADA@Example.org", "ada (at) example (dot) org", "ada[at]example.org", "ada%40example.org"):
        assert emails(each) == emails("ada@example.org")
    assert emails("ada@example.org") != emails("eve@example.org")


def test_where_words_are_not_parted_by_spaces_the_address_ends_with_its_script():
    assert emails("写信给ada@example.org共有三人。") == f"写信给{emails('ada@example.org')}共有三人。"
