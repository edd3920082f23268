"""No server outlives a test run, not even one that was killed with SIGKILL."""

from __future__ import annotations

import subprocess

# The pipe ends when its writer does, whatever ended it. A parent-death signal would not do: it follows the thread that
# started the server, and tests start and restart servers in short-lived threads.
_SCRIPT = 'read -r _; kill -s KILL -- "-$0"'


class Warden:
    """A shell that waits for our end and then kills a process group."""

    def __init__(self, group: int) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """The group has ended: its number may soon be another's."""
        self._shell.kill()
        self._shell.wait()
        assert self._shell.stdin is not None
        self._shell.stdin.close()
