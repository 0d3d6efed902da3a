"""What a page is allowed to do."""

import base64
import hashlib

from page_reader import Page
from page_reports import REPORT


def policy(page):
    (meta,) = page.all("meta", http_equiv="Content-Security-Policy")
    return dict(part.strip().split(" ", 1) for part in meta["content"].split(";"))


def test_the_policy_names_exactly_the_scripts_and_the_style_of_the_file():
    page = Page(REPORT.to_html())
    allowed = policy(page)
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"

    def hashes(elements):
        digests = (hashlib.sha256(each["text"].encode()).digest() for each in elements)
        return {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}

    scripts = [each for each in page.all("script") if "type" not in each]
    assert len(scripts) == 5
    assert set(allowed["script-src"].split()) == hashes(scripts)
    assert set(allowed["style-src"].split()) == hashes(page.all("style"))
    assert "unsafe" not in str(allowed)
    assert set(allowed) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}


def test_the_policy_stands_before_anything_that_it_rules():
    html = REPORT.to_html()
    assert html.index("Content-Security-Policy") < min(html.index("<style"), html.index("<script"))
