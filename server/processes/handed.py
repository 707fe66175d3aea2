"""Where a process gets its connections: not from the network, but handed over by the process that listens there.

A connection is an open file, and one process can give another the file itself. So nothing that visitor and process say
to each other passes through a third one.
"""

import os
import signal
import socket
from typing import Any


class Handed(socket.socket):
    """For a server what a listening socket is: `accept` takes the next connection that was handed over."""

    def listen(self, backlog: int = 0, /) -> None:
        """Whoever listens is above."""

    def accept(self) -> tuple[socket.socket, Any]:
        given, files, _, _ = socket.recv_fds(self, 1, 1)
        if not given:  # nobody is above any more
            os.kill(os.getpid(), signal.SIGTERM)
            raise BlockingIOError
        connection = socket.socket(fileno=files[0])
        try:
            return connection, connection.getpeername()
        except OSError:  # who came has gone
            return connection, None


def hand(to: socket.socket, connection: socket.socket) -> None:
    """Hands a connection over. Raises BlockingIOError while the other has too many to take, OSError when it is gone."""
    socket.send_fds(to, [b"."], [connection.fileno()])
