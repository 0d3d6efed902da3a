"""The page as a reader gets it."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from trail_callbacks import check
from trail_callbacks.bench import read_items
from trail_callbacks.monitor import SIGNALS
from trail_callbacks.serving import app
from trail_callbacks.store import Store

NOW = 1_790_000_000.0
WEEK = f"?window=7d&until={NOW}"
PAGES = ["/", "/segments", "/releases", "/runs", "/feedback", "/sources"]
SAME = {"origin": "http://127.0.0.1"}


@pytest.fixture
def page(store):
    return TestClient(app(store), base_url="http://127.0.0.1")


def rows(html, after=""):
    """Rows of the first table after a text, as texts of their cells."""
    table = re.search(r"<tbody>(.*?)</tbody>", html[html.index(after) :], re.DOTALL)[1]
    cells = (
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    )
    return [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers_and_keeps_hostile_texts_inert(page, path):
    reply = page.get(path + WEEK)
    assert reply.status_code == 200
    assert "<script>alert" not in reply.text
    assert "\u202e" not in reply.text
    assert reply.text.count("<script") == 1
    assert "{{" not in reply.text.replace("{{7*7}}", "")
    assert 'style="' not in reply.text


@pytest.mark.parametrize("path", PAGES)
def test_every_page_of_an_empty_store_answers(tmp_path, path):
    store = Store(str(tmp_path / "empty.db"))
    reply = TestClient(app(store), base_url="http://127.0.0.1").get(path)
    assert reply.status_code == 200
    store.close(1)


def test_the_overview_says_what_is_wrong_since_when_and_where(page):
    html = page.get("/" + WEEK).text
    assert "release v2" in html
    (stage,) = rows(html, 'id="broken"')
    assert stage[0] == "generation"
    billing, legal = rows(html, 'id="classes"')
    assert (billing[0], legal[0]) == ("billing", "legal")
    assert float(legal[3].split()[0]) > float(billing[3].split()[0]), "bad is up, wherever it is counted"


def test_the_overview_shows_what_is_known_and_says_what_is_not(page, tmp_path):
    html = page.get("/" + WEEK).text
    tiles = re.findall(r'<p class="name"><a [^>]*>(.*?)</a>', html)
    assert len(tiles) == html.count('class="band"') == 6, "each line has its own band"
    assert html.count("<circle") == 6 * 7, "a week by day"
    left_out = re.search(r"Known of no run of this window: (.*?)\.", html)[1].split(", ")
    cites = {signal.counted for name, signal in SIGNALS.items() if name.startswith("citation")}
    assert {*tiles, *left_out} == {signal.counted for signal in SIGNALS.values()} - cites
    assert "No answer cites a source" in html
    store = Store(str(tmp_path / "undiagnosed.db"))
    store.put([(check("It takes 40 minutes.", ["It takes 40 minutes."]), None)])
    html = TestClient(app(store), base_url="http://127.0.0.1").get("/").text
    assert "VerifyOptions(diagnose=True)" in html
    assert "\u2013" not in html, "no tile is empty"
    store.close(1)


def test_the_worst_segment_leads(page):
    found = rows(page.get(f"/segments{WEEK}&by=query_class&signal=contradiction").text)
    assert [row[0] for row in found] == ["legal", "billing"]
    assert sum(int(row[3]) for row in found) == 120


def test_releases_stand_side_by_side(page):
    html = page.get(f"/releases{WEEK}&a=v1&b=v2").text
    found = {row[0]: row for row in rows(html)}
    assert re.match(r"\+\d", found["runs with a contradicted claim"][5])
    assert found["runs with too few claims borne out by what they cite"][5] == "unknown"
    assert 'class="worse"' in html
    swapped = {row[0]: row for row in rows(page.get(f"/releases{WEEK}&a=v2&b=v1").text)}
    assert swapped["runs with a contradicted claim"][5].startswith("-")
    assert unescape(re.search(r'href="([^"]*)">Swap', html)[1]).endswith("a=v2&b=v1")


@pytest.mark.parametrize("asked", ["", "&a=v1&b=v1", "&a=v2", "&b=v1"])
def test_no_release_is_offered_against_itself(page, asked):
    html = page.get(f"/releases{WEEK}{asked}").text
    sides = [re.search(rf'<select name="{side}">(.*?)</select>', html)[1] for side in "ab"]
    assert sorted(re.findall(r'value="(\w+)" selected', "".join(sides))) == ["v1", "v2"]
    assert all(each.count("<option") == 1 for each in sides)


def test_a_filter_says_what_it_does_though_no_run_is_left(page):
    html = page.get("/runs?segment=team%3Dnobody").text
    assert '<option selected value="team=nobody">team=nobody</option>' in html


def test_runs_page_by_page(page):
    seen, path = [], f"/runs{WEEK}&segment=query_class%3Dlegal"
    while path:
        html = page.get(path).text
        seen += re.findall(r'<a href="(/run[?][^"]+)">', html)
        more = re.search(r'<a rel="next" href="([^"]+)"', html)
        path = unescape(more[1]) if more else None
    assert len(seen) == len(set(seen)) > 50


def test_a_search_finds_a_run_and_its_report(page):
    html = page.get("/runs?q=how+long").text
    (address,) = re.findall(r'<a href="(/run[?][^"]+)">', html)
    run = page.get(unescape(address))
    assert run.status_code == 200
    assert "A ticket costs 12 euros." in run.text
    assert run.text.count("<script") == 1
    report = page.get(address.replace("/run?", "/run/report?"))
    policy = report.headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "unsafe" not in policy
    assert "allow-same-origin" not in policy
    assert "A ticket costs 12 euros." in report.text


def form(page, address, **values):
    html = page.get(address).text
    secret = re.search(r'name="csrf" value="([0-9a-f]+)"', html)[1]
    return page.post(
        address.replace("/run?", "/run/feedback?"),
        data={"csrf": secret, **values},
        headers=SAME,
        follow_redirects=False,
    )


def test_feedback_is_kept_and_counted(page, tmp_path):
    (address,) = re.findall(r'<a href="(/run[?][^"]+)">', page.get("/runs?q=how+long").text)
    ids = re.findall(r'name="claim" value="([^"]+)"', page.get(address).text)
    assert form(page, address, claim=ids[0], right="yes").status_code == 303
    reply = form(page, address, claim=ids[1], right="no", should="absent")
    assert reply.headers["location"] == f"{address}#claim-{ids[1]}"
    assert page.get(address).text.count('aria-pressed="true"') == 2
    html = page.get("/feedback").text
    assert "50 %" in html
    assert "100 %" in html  # of the flag, and of what people call unsupported
    labelled = [json.loads(line) for line in page.get("/feedback.jsonl").text.splitlines()]
    assert [(row["outcome"], row["label"]) for row in labelled] == [
        ("supported", "supported"),
        ("contradicted", "absent"),
    ]
    assert labelled[0]["quote"] == "The ferry takes 40 minutes."
    assert labelled[0].keys() >= {"confidence", "segments", "judge", "run", "right"}
    export = tmp_path / "feedback.jsonl"
    export.write_text(page.get("/feedback.jsonl").text, "utf-8")
    (item,) = read_items(export, pytest.fail)  # it suffices to measure other judges
    assert [label.support for label in item.labelled.labels] == ["supported", "absent"]


@pytest.mark.parametrize(
    ("values", "headers", "status"),
    [
        ({"csrf": "0" * 64}, SAME, 403),
        ({}, SAME, 403),
        ({"csrf": "right"}, {"origin": "http://evil.example"}, 403),
        ({"csrf": "right", "claim": "c99"}, SAME, 404),
        ({"csrf": "right", "claim": "c1", "should": "nonsense"}, SAME, 404),
        ({"csrf": "right", "claim": "x" * 70_000}, SAME, 413),
        ({"csrf": "right", "claim": "c1", **{f"field{n}": "1" for n in range(100)}}, SAME, 403),
    ],
)
def test_forms_that_are_refused_change_nothing(page, values, headers, status):
    (address,) = re.findall(r'<a href="(/run[?][^"]+)">', page.get("/runs?q=how+long").text)
    secret = re.search(r'name="csrf" value="([0-9a-f]+)"', page.get(address).text)[1]
    sent = {name: secret if value == "right" else value for name, value in values.items()}
    assert (
        page.post(address.replace("/run?", "/run/feedback?"), data={**sent, "right": "no"}, headers=headers).status_code
        == status
    )
    assert page.get("/feedback.jsonl").text == ""


@pytest.mark.parametrize(
    "path", ["/nothing", "/run", "/run?id=nothing", "/run/report?id=nothing", "/static/app.py", "/static/..%2fapp.py"]
)
def test_what_is_not_there(page, path):
    assert page.get(path).status_code == 404


def test_a_store_that_cannot_be_read_is_said(tmp_path):
    store = Store(str(tmp_path / "trail.db"))
    view = TestClient(app(store), base_url="http://127.0.0.1")
    (tmp_path / "trail.db").write_bytes(b"no database at all" * 1000)
    for beside in tmp_path.glob("trail.db-*"):
        beside.unlink()
    reply = view.get("/")
    assert reply.status_code == 503
    assert "cannot be read" in reply.text


def test_counters_for_prometheus(page):
    reply = page.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'trail_bad_runs_total{signal="contradiction"' in reply.text.replace('{segment="",value="",', "{")
