"""`trail canary perturb` and `trail canary probes`, as commands of an app of their own."""

import json

import pytest
import typer
from typer.testing import CliRunner

from trail_callbacks.canary.files.probes import read_probes
from trail_callbacks.canary.files.twins import load_twin
from trail_callbacks.cli.canary_texts import perturb, probes
from trail_callbacks.errors import InputError, JudgeError

TEXT = (
    "The ferry to Skogholm takes 40 minutes. It carries 300 cars. The bridge at Varle was opened in 1932 by the mayor. "
    "The museum in Varle has 62 rooms, and a ticket costs 14 euros.\n"
)


@pytest.fixture
def run():
    app = typer.Typer()
    app.command("perturb")(perturb)
    app.command("probes")(probes)

    def command(*args):
        result = CliRunner().invoke(app, [str(each) for each in args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return command


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(TEXT)
    (folder / "b\x1b[31m.bin").write_bytes(b"\0")
    return folder


def test_a_corpus_becomes_a_twin_and_the_twin_probes(run, corpus, tmp_path):
    twin, out = tmp_path / "twin.json", tmp_path / "probes.jsonl"
    made = run("perturb", corpus, "-o", twin, "--seed", 7, "--kind", "number")
    assert made.exit_code == 0
    read = load_twin(twin)
    assert read.seed == 7
    assert f"{len(read.edits)} edits in 1 documents, seed 7" in made.stdout
    assert f"kinds: {len(read.edits)} number" in made.stdout
    assert " -> " in made.stdout
    assert "is a kind of file that is not read" in made.stderr
    assert "\x1b" not in made.stderr + made.stdout
    asked = run("probes", twin, "-o", out)
    written, _ = read_probes(out)
    assert asked.exit_code == 0
    assert f"{len(written)} probes: {len(written)} number" in asked.stdout
    assert {each.edit for each in written} <= {each.id for each in read.edits}
    assert "___" in asked.stdout


def test_json_is_one_object(run, corpus, tmp_path):
    twin, out = tmp_path / "twin.json", tmp_path / "probes.jsonl"
    data = json.loads(run("perturb", corpus, "-o", twin, "--json", "--kind", "number").stdout)
    assert data["edits"] == data["kinds"]["number"] == len(load_twin(twin).edits)
    assert next(each["place"] for each in data["skipped"]).startswith("b")
    data = json.loads(run("probes", twin, "-o", out, "--json", "--most", 2).stdout)
    assert (data["probes"], data["origins"]) == (2, {"rules": 2})


def test_bad_input_is_an_error_that_says_what_to_do(run, corpus, tmp_path):
    twin = tmp_path / "twin.json"
    with pytest.raises(InputError, match="does not exist"):
        run("perturb", tmp_path / "nowhere", "-o", twin)
    with pytest.raises(InputError, match="magic"):
        run("perturb", corpus, "-o", twin, "--kind", "magic")
    (corpus / "a.md").write_text("Nothing.\n")
    with pytest.raises(InputError, match="nothing in the corpus can be changed"):
        run("perturb", corpus, "-o", twin, "--kind", "number")
    assert not twin.exists()
    with pytest.raises(InputError, match="cannot be read"):
        run("probes", twin, "-o", tmp_path / "probes.jsonl")
    assert run("perturb", corpus).exit_code == 2  # no -o


def test_a_model_has_to_be_one(run, corpus, tmp_path):
    twin = tmp_path / "twin.json"
    run("perturb", corpus, "-o", twin)
    with pytest.raises(JudgeError, match="which writes nothing"):
        run("probes", twin, "-o", tmp_path / "p.jsonl", "--model", "local")
