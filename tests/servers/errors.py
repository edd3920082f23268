"""ServersError
├── ServerMissing   no such server can be had on this machine: a tool is not installed, a download failed
└── ServerBroken    the server is there and did not start, answer or stop
"""

from __future__ import annotations


class ServersError(Exception):
    """Whatever goes wrong here."""


class ServerMissing(ServersError):
    """No such server can be had on this machine; the text says what is lacking."""


class ServerBroken(ServersError):
    """The server did not do what it must; the text has the end of its log."""
