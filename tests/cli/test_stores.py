"""A command that reads a store leaves alone what is none."""

import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy")

from trail_callbacks.cli.stores import existing
from trail_callbacks.errors import StoreError
from trail_callbacks.store import Store


def test_a_store_is_opened_by_file_and_by_url(tmp_path):
    where = tmp_path / "trail.db"
    Store(where).close()
    for named in (str(where), f"sqlite:///{where}"):
        store = existing(named)
        assert store.contents().runs == 0
        store.close()


@pytest.mark.parametrize("name", ["{}/none.db", "sqlite:///{}/none.db", "{}/folder/none.db"])
def test_what_is_not_there_is_not_made(name, tmp_path):
    with pytest.raises(StoreError, match=r"there is no store at .*none\.db: name the one"):
        existing(name.format(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_another_program_is_not_changed(tmp_path):
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE orders (id)")
        connection.commit()
    before = other.read_bytes()
    for named in (str(other), f"sqlite:///{other}"):
        with pytest.raises(StoreError, match=r"there is no store in sqlite:.*other\.db"):
            existing(named)
    assert other.read_bytes() == before
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize("content", [b"", b"notes " * 200])
def test_a_file_that_is_no_store_is_not_changed(content, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(content)
    with pytest.raises(StoreError, match=r"there is no store in|cannot be opened: file is not a database$"):
        existing(str(other))
    assert other.read_bytes() == content


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="is no file"):
        existing(str(tmp_path))
