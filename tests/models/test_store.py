import hmac
import json
import multiprocessing
import os
import stat

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.models.cache import ReplyStore, digest

KEY = digest("a question")
VALUE = {"said": "żółw 🐢 \ud800", "n": [1, 2.5, None, True]}


def file_of(folder, key=KEY):
    return folder / key[:2] / f"{key[2:]}.json"


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*.json"))


def test_what_was_put_is_there_for_others_too(tmp_path):
    store = ReplyStore(tmp_path / "made" / "for it")
    assert store.get(KEY) is None
    store.put(KEY, VALUE)
    assert store.get(KEY) == ReplyStore(tmp_path / "made" / "for it").get(KEY) == VALUE
    assert store.problem is None


def test_a_digest_depends_on_all_of_the_material_but_not_on_order():
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    others = [{"a": 1}, {"a": "1"}, {"a": 1.5}, {"a": [1]}, ["a", 1], "a1", None, {"a": None}, {"a": "\ud800"}]
    assert len({digest(material) for material in others}) == len(others)
    assert digest({"mode": object}) == digest({"mode": object})


BROKEN = {
    "empty": lambda data: b"",
    "cut": lambda data: data[:-1],
    "not UTF-8": lambda data: b"\xff\xfe" + data,
    "one letter changed": lambda data: data.replace(b"said", b"sold"),
    "JSON of somebody else": lambda data: b'{"version": 1}',
    "no JSON, well sealed": lambda data: b"x" * 64 + b"\n{",
    "huge": lambda data: data + b" " * (5 * 1024 * 1024),
    "nested too deep": lambda data: b"[" * 200_000,
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
def test_a_damaged_file_is_missing_and_replaced(tmp_path, damage):
    store = ReplyStore(tmp_path)
    store.put(KEY, VALUE)
    path = file_of(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert store.get(KEY) is None
    store.put(KEY, VALUE)
    assert store.get(KEY) == VALUE
    assert store.problem is None


def test_an_entry_under_another_key_is_missing(tmp_path):
    store, other = ReplyStore(tmp_path), digest("another question")
    store.put(KEY, VALUE)
    file_of(tmp_path, other).parent.mkdir(exist_ok=True)
    file_of(tmp_path).rename(file_of(tmp_path, other))
    assert store.get(other) is None


@pytest.mark.parametrize("folder", ["file/cache", "file", "a\0b", 7, None])
def test_a_folder_that_cannot_be_written_is_wrong_input(tmp_path, folder):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"the cache folder .* cannot be written"):
        ReplyStore(tmp_path / folder if isinstance(folder, str) else folder)


def test_a_folder_that_breaks_later_loses_entries_and_says_why(tmp_path, caplog):
    folder = tmp_path / "cache"
    store = ReplyStore(folder)
    folder.rmdir()
    folder.write_text("now a file")
    store.put(KEY, VALUE)
    store.put(KEY, VALUE)
    assert store.get(KEY) is None
    assert store.problem == "Not a directory"
    assert len(caplog.records) == 1


@pytest.mark.parametrize("value", [object(), {1, 2}, {(1, 2): 3}])
def test_what_is_no_json_is_not_kept(tmp_path, value):
    store = ReplyStore(tmp_path)
    store.put(KEY, value)
    assert store.get(KEY) is None
    assert store.problem
    assert not list(tmp_path.rglob("*.json")) + list(tmp_path.rglob("*.tmp"))


def test_the_oldest_entries_go_when_the_folder_is_full(tmp_path):
    store = ReplyStore(tmp_path, max_bytes=20_000)
    keys = [digest(n) for n in range(200)]
    for age, key in enumerate(keys):
        store.put(key, {"text": "x" * 400})
        os.utime(file_of(tmp_path, key), (age, age))
    assert 10_000 < size(tmp_path) <= 20_000 * 17 / 16 + 500
    assert store.get(keys[0]) is None
    kept = [key for key in keys if store.get(key) is not None]
    assert kept == keys[-len(kept) :]
    assert store.problem is None


def test_cleaning_up_leaves_alone_what_is_not_ours(tmp_path):
    mine, notes = tmp_path / "notes.json", tmp_path / "my notes" / "a.json"
    notes.parent.mkdir()
    for path in (mine, notes):
        path.write_text("y" * 50_000)
    left, fresh = tmp_path / "ab" / ".left.tmp", tmp_path / "ab" / ".fresh.tmp"
    left.parent.mkdir()
    left.write_text("of a process that died")
    fresh.write_text("of one that writes")
    os.utime(left, (0, 0))
    store = ReplyStore(tmp_path, max_bytes=1000)
    for n in range(20):
        store.put(digest(n), {"text": "x" * 100})
    assert [mine.exists(), notes.exists(), left.exists(), fresh.exists()] == [True, True, False, True]


def _write(folder, number, start):
    store = ReplyStore(folder, max_bytes=60_000)
    start.wait()
    for round_ in range(150):
        key = digest(round_ % 40)  # all processes fight for the same forty
        store.put(key, {"key": key, "by": number, "text": "x" * (round_ * 7 % 900)})
        found = store.get(digest((round_ * 3) % 40))
        assert found is None or found["key"] == digest((round_ * 3) % 40)
    assert store.problem is None


def test_eight_processes_write_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    processes = [context.Process(target=_write, args=(tmp_path, n, start)) for n in range(8)]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * 8
    for path in tmp_path.rglob("*.json"):
        seal, body = path.read_bytes().split(b"\n", 1)
        assert len(seal) == 64
        assert json.loads(body)["key"] == path.parent.name + path.stem
    assert not list(tmp_path.rglob("*.tmp"))


def forged(folder, secret=b""):
    """An entry as one writes it who does not know the secret of the folder."""
    body = json.dumps({"said": "supported"}).encode()
    path = file_of(folder)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(hmac.digest(secret, KEY.encode() + b"\n" + body, "sha256").hex().encode() + b"\n" + body)


def test_a_forged_entry_is_not_believed(tmp_path):
    store = ReplyStore(tmp_path / "a")
    store.put(digest("another"), VALUE)
    forged(tmp_path / "a", b"")
    assert store.get(KEY) is None
    forged(tmp_path / "a", (tmp_path / "a" / ".key").read_bytes())  # who may read the secret may write entries
    assert store.get(KEY) == {"said": "supported"}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("damage", [lambda key: key.chmod(0o644), lambda key: key.write_bytes(b"short")])
def test_a_secret_that_is_none_is_made_anew(tmp_path, damage):
    store = ReplyStore(tmp_path)
    store.put(KEY, VALUE)
    damage(tmp_path / ".key")
    assert store.get(KEY) is None
    store.put(KEY, VALUE)
    assert store.get(KEY) == ReplyStore(tmp_path).get(KEY) == VALUE
    assert stat.S_IMODE((tmp_path / ".key").stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(tmp_path).parent.stat().st_mode) == 0o700


def _as_link(path, whole):
    whole.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


NO_FILES = {"pipe": lambda path, _: os.mkfifo(path), "folder": lambda path, _: path.mkdir(), "link": _as_link}


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
@pytest.mark.parametrize("replaced", NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_regular_file_is_no_entry(tmp_path, replaced):
    store = ReplyStore(tmp_path)
    store.put(KEY, VALUE)
    path, aside = file_of(tmp_path), tmp_path / "aside"
    path.rename(aside)
    replaced(path, aside)
    assert store.get(KEY) is None  # and does not wait for somebody to write into the pipe
