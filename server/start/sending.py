"""Answers leave at once, however small.

Else the system holds each back until the one before is acknowledged, which a browser does up to 40 ms later: a page's
programs are some hundred files, and what Streamlit tells a page some hundred messages. asyncio asks for it where a
socket says that it speaks TCP; the one that `streamlit run` opens for itself does not say so.
"""

import os
import socket
import stat
from contextlib import suppress


def send_at_once() -> None:
    """Whatever is accepted from now on, where this process listens, sends at once."""
    for number in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):
            # a second number of a file that is no socket would take the database's lock with it when it is closed
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM) as place:
                if place.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
