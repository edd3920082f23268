"""What consumer groups have committed: one small file for each, replaced atomically.

It is not synced to the disk: a commit that a power cut takes back only means that some records are delivered again,
which every consumer of events withstands.
"""

from __future__ import annotations

import os
from itertools import count

from .files import file_name, make_directory

_SUFFIX = ".offset"
_numbers = count()


class GroupOffsets:
    """The committed offsets of one topic's groups. Methods raise OSError."""

    def __init__(self, directory: str) -> None:
        self._directory = f"{directory}/groups"

    def read(self, group: str) -> int | None:
        """The offset that the group reads next, None if it has committed none that can be read."""
        return self._read(file_name(group) + _SUFFIX)

    def write(self, group: str, offset: int) -> None:
        """Replaces the group's offset."""
        make_directory(self._directory, durable=False)
        name = file_name(group) + _SUFFIX
        temporary = f"{self._directory}/.{name}.{os.getpid()}.{next(_numbers)}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            os.write(fd, b"%d\n" % offset)
        except OSError:
            os.unlink(temporary)
            raise
        finally:
            os.close(fd)
        os.replace(temporary, f"{self._directory}/{name}")

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
        wanted = [name for name in names if name.endswith(_SUFFIX) and not name.startswith(".")]
        return {name.removesuffix(_SUFFIX): self._read(name) or 0 for name in wanted}

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
            text = os.read(fd, 32)
        finally:
            os.close(fd)
        # A power cut may leave a file of that name with nothing in it.
        return int(text) if text.endswith(b"\n") and text[:-1].isdigit() else None
