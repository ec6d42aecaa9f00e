"""A file without a name gets one durably, over nobody's file, on every kind of file system."""

import errno
import os

import pytest

from repro.release import drafts
from repro.release.drafts import Draft


def nameless(monkeypatch):
    """As on Linux."""


def without_nameless_files(monkeypatch):
    """As on NFS."""
    really = os.open

    def refuse(path, flags, *mode, **words):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "not supported")
        return really(path, flags, *mode, **words)

    monkeypatch.setattr(os, "open", refuse)


def without_links(monkeypatch):
    """As on FAT."""

    def refuse(*given, **words):
        raise PermissionError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refuse)


@pytest.fixture(params=[nameless, without_nameless_files, without_links])
def placed(request, monkeypatch, tmp_path):
    """Gives a file of some bytes its name."""
    request.param(monkeypatch)
    folder = tmp_path / "folder"
    folder.mkdir()

    def place(content, name="a", *mode):
        with Draft(folder) as draft:
            assert not list(folder.glob(name))
            draft.file.write(content)
            draft.place(folder / name, *mode)
        return folder / name

    return place


def test_a_file_has_its_bytes_its_mode_and_no_date(placed):
    before = os.umask(0o027)
    try:
        open_to_the_group, own = placed(b"content"), placed(b"", "b", 0o600)
    finally:
        os.umask(before)
    assert open_to_the_group.read_bytes() == b"content"
    assert [path.stat().st_mode & 0o777 for path in (open_to_the_group, own)] == [0o640, 0o600]
    assert {path.stat().st_mtime for path in (open_to_the_group, own)} == {0}
    assert sorted(path.name for path in own.parent.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("other", [b"", b"conten", b"contend", b"content "])
def test_a_name_that_is_taken_is_left_alone(placed, other, tmp_path):
    (tmp_path / "folder" / "taken").write_bytes(other)
    with Draft(tmp_path / "folder") as draft:
        draft.file.write(b"content")
        with pytest.raises(FileExistsError):
            draft.place(tmp_path / "folder" / "taken")
    assert (tmp_path / "folder" / "taken").read_bytes() == other
    assert len(list((tmp_path / "folder").iterdir())) == 1


def test_the_same_bytes_are_as_good(placed, tmp_path):
    path = placed(b"content")
    with Draft(path.parent) as draft:
        draft.file.write(b"content")
        draft.place(path)
    assert [item.name for item in path.parent.iterdir()] == ["a"]


def test_a_full_disk_is_no_lack_of_links(monkeypatch, tmp_path):
    def full(*given, **words):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(drafts.os, "link", full)
    with Draft(tmp_path) as draft, pytest.raises(OSError, match="No space left"):
        draft.place(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
