"""Twins as files: nothing is lost, the same twin gives the same bytes, and a hostile file is refused."""

import json
from dataclasses import replace

import pytest
from twins import TEXT, change, twin_of

from trail_callbacks.canary import Corpus, Document, Skipped
from trail_callbacks.canary.files.twins import load_twin, save_twin
from trail_callbacks.errors import InputError

EDIT = change(TEXT, "40", "53", real="40 minutes", fictive="53 minutes", forms=(("forty", "fifty-three"),))


def saved(twin, folder, name="twin.json"):
    path = folder / name
    save_twin(twin, path)
    return path


def test_a_twin_comes_back_as_it_was(tmp_path):
    twin = twin_of({"a": TEXT, "b": "Nothing here."}, EDIT, metadata={"topic": "boats", "n": [1, None]})
    twin = replace(twin, skipped=(Skipped("b", "has nothing to edit"),))
    path = saved(twin, tmp_path)
    assert load_twin(path) == twin
    assert saved(load_twin(path), tmp_path, "again.json").read_bytes() == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_twin_whose_edits_do_not_make_its_texts_is_not_saved(tmp_path):
    twin = twin_of({"a": TEXT}, EDIT)
    other = replace(twin, fictive=Corpus((Document("a", "Something else."),)))
    for wrong in (other, replace(twin, fictive=Corpus(()))):
        with pytest.raises(InputError, match="its edits do not make its texts"):
            save_twin(wrong, tmp_path / "twin.json")
    with pytest.raises(InputError, match="is no JSON"):
        save_twin(twin_of({"a": TEXT}, EDIT, metadata={"x": object()}), tmp_path / "twin.json")
    assert not (tmp_path / "twin.json").exists()


def changed(change_):
    def apply(data):
        change_(data)
        return json.dumps(data)

    return apply


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: json.dumps(data)[:-9], "its JSON: Invalid JSON"),
        (changed(lambda data: data.update(version=9)), "its version: Input should be 2; make it with"),
        (changed(lambda data: data["real"]["documents"].append(data["real"]["documents"][0])), "have the same id"),
        (changed(lambda data: data["real"]["documents"][0].update(text="other")), "does not fit the text"),
        (changed(lambda data: data["edits"][0].update(kind="magic")), "its edits.0.kind: Input should be 'number'"),
        (changed(lambda data: data["edits"][0].update(replacements=[])), "has no replacements"),
        (changed(lambda data: data["edits"][0]["replacements"][0].update(start=-3)), "does not fit the text"),
        (changed(lambda data: data["edits"][0]["replacements"][0].update(document="z")), "which is missing"),
    ],
)
def test_hostile_files_are_refused(tmp_path, spoil, message):
    path = saved(twin_of({"a": TEXT}, EDIT), tmp_path)
    path.write_text(spoil(json.loads(path.read_text())))
    with pytest.raises(InputError) as caught:
        load_twin(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_twin(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_twin("a\0b")
