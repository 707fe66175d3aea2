"""Which of several processes a visitor belongs to: a visit, its uploads and its downloads live in one of them.

The workspace's cookie decides, and a process that makes one for a new browser makes one that leads to itself.
"""

import os
import re
import secrets
from dataclasses import dataclass

PLACE = "RATERSCOPE_PROCESS"
"""The variable by which a process is told which one of how many it is; no setting: `python -m server` sets it."""
_HEAD_ENDS = b"\r\n\r\n"


@dataclass(frozen=True)
class Process:
    """One of several."""

    number: int = 0
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, workspace: str) -> bool:
        """Whether the visitors of this workspace belong to this process.

        >>> [Process(number, 3).has("0000000a" + "0" * 24) for number in range(3)]
        [False, True, False]
        """
        return owner(workspace, self.of) == self.number

    def new_workspace(self) -> str:
        """A random workspace of this process."""
        while not self.has(drawn := secrets.token_hex(16)):
            pass
        return drawn


def this_process() -> Process:
    """What `python -m server` said of this process; the only one where it said nothing."""
    number, _, of = os.environ.get(PLACE, str(Process())).partition("/")
    return Process(int(number), int(of))


def owner(workspace: str, of: int) -> int:
    """The number of the process, of so many, that a workspace belongs to."""
    return int(workspace[:8], 16) % of


def workspace_in(head: bytes, cookie: str) -> str | None:
    """The workspace that the first bytes of a connection name.

    >>> head = b"GET / HTTP/1.1\\r\\nHost: here\\r\\nCookie: a=1; workspace=" + b"0" * 32 + b"\\r\\n\\r\\n"
    >>> workspace_in(head, "workspace"), workspace_in(head, "space")
    ('00000000000000000000000000000000', None)
    """
    found = re.search(
        rb"\r\ncookie:(?:[^\r\n]*;)?[ \t]*" + re.escape(cookie.encode()) + rb"=([0-9a-f]{32})[ \t]*[;\r]",
        head.partition(_HEAD_ENDS)[0] + b"\r",
        re.IGNORECASE,
    )
    return found[1].decode() if found else None


def is_whole(head: bytes) -> bool:
    """Whether all headers of a connection's first request are there."""
    return _HEAD_ENDS in head
