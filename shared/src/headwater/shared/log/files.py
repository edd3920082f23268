"""The files of one topic, and what the operating system's errors mean for a log.

lock                         held exclusively by whoever appends or repairs
tail                         where the log ends, see ``tail``
00000000000000000042.log     a segment: frames of the records from offset 42 on
groups/NAME.offset           what a consumer group has committed, see ``groups``
"""

from __future__ import annotations

import errno
import os

from ..errors import ConfigurationError, TransientError

SUFFIX = ".log"
_DIGITS = 20
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP}
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def segment_path(directory: str, base: int) -> str:
    """The file of the segment whose first record has this offset."""
    return f"{directory}/{base:0{_DIGITS}d}{SUFFIX}"


def segment_bases(directory: str) -> list[int]:
    """First offsets of the segments there, ascending; none where the directory is not there."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return []
    end = _DIGITS + len(SUFFIX)
    return sorted(int(n[:_DIGITS]) for n in names if len(n) == end and n.endswith(SUFFIX) and n[:_DIGITS].isdigit())


def sync_directory(path: str) -> None:
    """Makes new names in a directory survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_directory(path: str, *, durable: bool) -> None:
    """Makes a directory with its parents. Raises OSError."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path) or "."
    make_directory(parent, durable=durable)
    try:
        os.mkdir(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    if durable:
        sync_directory(parent)


def file_name(text: str) -> str:
    """A text as a file name: what is not a letter, a digit or one of ``-_.`` is percent-encoded, a leading dot too."""
    safe = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
    name = "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in text.encode())
    return "%2E" + name[1:] if name.startswith(".") else name


def wrong_directory(error: OSError, path: str) -> ConfigurationError | TransientError:
    """For errors while opening: a directory that can never work is a wrong setting."""
    if error.errno in _NOT_ALLOWED:
        return ConfigurationError(
            "log directory",
            path,
            f"{_reason(error)}; give user {os.geteuid()} write access to it, or choose another directory",
        )
    return unusable(error, path)


def unusable(error: OSError, path: str) -> TransientError:
    """For errors while reading and writing: they may pass."""
    if error.errno in _NO_SPACE:
        return TransientError(f"{path}: {_reason(error)}; free some space on that file system")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return TransientError(f"{path}: {_reason(error)}; raise the limit of open files (ulimit -n)")
    return TransientError(f"{path}: {_reason(error)}")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
