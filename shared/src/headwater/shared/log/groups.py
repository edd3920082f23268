"""What consumer groups have committed: one small file for each, overwritten in one write.

It is not synced to the disk: a commit that a power cut takes back, or a file that cannot be read, only means that
records are delivered again, which every consumer of events withstands. It is not replaced by renaming either: ext4 then
flushes the new file first, 1 ms in the way of every batch. The checksum does what the rename would.
"""

from __future__ import annotations

import os
from zlib import crc32

from .files import file_name, make_directory

_SUFFIX = ".offset"
_LOOKS = 100
_BYTES = 30


class GroupOffsets:
    """The committed offsets of one topic's groups. Methods raise OSError."""

    def __init__(self, directory: str) -> None:
        self._directory = f"{directory}/groups"

    def read(self, group: str) -> int | None:
        """The offset that the group reads next, None if it has committed none that can be read."""
        return self._read(file_name(group) + _SUFFIX)

    def write(self, group: str, offset: int) -> None:
        """Replaces the group's offset."""
        path = f"{self._directory}/{file_name(group)}{_SUFFIX}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
        try:
            fd = os.open(path, flags, 0o666)
        except FileNotFoundError:
            make_directory(self._directory, durable=False)
            fd = os.open(path, flags, 0o666)
        try:
            os.pwrite(fd, _text(offset), 0)
        finally:
            os.close(fd)

    def forget(self, group: str) -> None:
        """Takes the group away, so that it holds no records back any more."""
        try:
            os.unlink(f"{self._directory}/{file_name(group)}{_SUFFIX}")
        except FileNotFoundError:
            pass

    def all(self) -> dict[str, int]:
        """Every known group, by its file's name, with its offset; 0 where that cannot be read."""
        try:
            names = os.listdir(self._directory)
        except FileNotFoundError:
            return {}
        return {n.removesuffix(_SUFFIX): self._read(n) or 0 for n in names if n.endswith(_SUFFIX)}

    def lock_path(self, group: str) -> str:
        """The file whose lock says which consumer reads for the group. Makes the directory."""
        make_directory(self._directory, durable=False)
        return f"{self._directory}/{file_name(group)}.lock"

    def _read(self, name: str) -> int | None:
        try:
            fd = os.open(f"{self._directory}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            for _ in range(_LOOKS):  # a write half done is whole at the next look
                text = os.pread(fd, _BYTES, 0)
                if text[:20].isdigit() and text == _text(int(text[:20])):
                    return int(text[:20])
        finally:
            os.close(fd)
        return None


def _text(offset: int) -> bytes:
    """For people too: the offset, then its CRC-32."""
    digits = b"%020d" % offset
    return b"%s %08x\n" % (digits, crc32(digits))
