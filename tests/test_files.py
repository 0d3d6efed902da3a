"""Files are written whole or not at all, and for their owner only."""

import os
import stat

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.files import require_writable, write


@pytest.mark.parametrize("error", [InputError("no"), KeyboardInterrupt()])
def test_nothing_is_replaced_if_the_parts_end_in_an_error(tmp_path, error):
    path = tmp_path / "kept.txt"
    path.write_text("before")

    def parts():
        yield "half"
        raise error

    with pytest.raises(type(error)):
        write(str(path), parts())
    assert (path.read_text(), list(tmp_path.iterdir())) == ("before", [path])


def test_who_may_read_a_new_file_depends_on_what_is_in_it(tmp_path):
    before = os.umask(0o027)
    try:
        write(str(tmp_path / "texts"), "texts")
        write(str(tmp_path / "figures"), "figures", public=True)
        write(str(tmp_path / "texts"), "texts", public=True)
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("texts", "figures")]
    assert modes == [0o600, 0o640], "and one that is there keeps its own"


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    target, link = tmp_path / "theirs.txt", tmp_path / "link.txt"
    target.write_text("theirs")
    link.symlink_to(target)
    with pytest.raises(InputError, match="symbolic link"):
        write(str(link), "ours")
    with pytest.raises(InputError, match="a folder"):
        write(str(tmp_path), "ours")
    with pytest.raises(InputError, match=r"missing.*cannot be written"):
        write(str(tmp_path / "missing" / "file"), "ours")
    assert target.read_text() == "theirs"


def test_what_cannot_be_written_is_known_before_and_asking_leaves_nothing(tmp_path):
    there, link = tmp_path / "there.txt", tmp_path / "link.txt"
    there.write_text("there")
    link.symlink_to(there)
    before = there.lstat()
    for path in (there, tmp_path / "new.txt"):
        require_writable(str(path))
    for path in (link, tmp_path, tmp_path / "missing" / "file", there / "under"):
        with pytest.raises(InputError) as asked:
            require_writable(str(path))
        with pytest.raises(InputError) as written:
            write(str(path), "text")
        assert str(asked.value) == str(written.value)
    assert sorted(tmp_path.iterdir()) == [link, there]
    assert there.lstat() == before
