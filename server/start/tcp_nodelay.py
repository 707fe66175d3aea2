"""Small answers without delay, also under `streamlit run`.

TCP holds a small segment back until the one before it is acknowledged (Nagle's algorithm), which takes a browser up to
40 ms: a page's programs are some hundred files, and a run of its script sends some hundred messages. asyncio turns that
off where a socket names TCP as its protocol, which the one that `streamlit run` opens does not.
"""

import os
import socket
import stat
from contextlib import suppress


def set_tcp_nodelay() -> None:
    """Set TCP_NODELAY on the sockets where this process listens; accepted connections inherit it."""
    for number in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):
            # Only sockets are duplicated: closing a duplicate of the database's file would drop its lock.
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM) as listening:
                if listening.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
