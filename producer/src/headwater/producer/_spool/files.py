"""Names within a spool, and what its errors are called in the accounts."""

from __future__ import annotations

import errno
import os
import re

LOCK, ACK, SPARE, SUFFIX, NASCENT = "lock", "ack", "spare", ".seg", ".new-"

DISK_FULL, SPOOL_FULL, UNWRITABLE = "disk_full", "spool_full", "spool_unwritable"
"""Reasons for a dropped event: no room on the disk, no room within the bound, a directory that cannot be written."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def reason_of(error: OSError) -> str:
    """The reason under which an event that met this error is dropped."""
    return DISK_FULL if error.errno in _NO_ROOM else UNWRITABLE


def segment_name(number: int) -> str:
    return f"{number:08d}{SUFFIX}"


def segment_numbers(directory: str) -> list[int]:
    """Of the segments there, ascending."""
    names = [name for name in os.listdir(directory) if name.endswith(SUFFIX)]
    return sorted(int(name[: -len(SUFFIX)]) for name in names if name[: -len(SUFFIX)].isdigit())


_LANE = re.compile(r"[0-9a-f]{16}-\d+-[0-9a-f]{8}", re.ASCII).fullmatch


def lane_names(root: str) -> list[str]:
    """Of the lanes there, the oldest first; nothing else that may lie beside them. Empty where there is no spool."""
    try:
        return sorted(filter(_LANE, os.listdir(root)))
    except OSError:
        return []


def is_ours(name: str) -> bool:
    """Whether a file in a lane is one that headwater made."""
    return name in (LOCK, ACK, SPARE) or name.endswith(SUFFIX)


def lane_bytes(path: str) -> int:
    """What a lane's segments take."""
    total = 0
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    total += entry.stat(follow_symlinks=False).st_size
    except OSError:  # sent and removed by another process just now
        pass
    return total
