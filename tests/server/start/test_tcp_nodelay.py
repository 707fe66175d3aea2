"""Connections send without delay, also those of a socket that names no protocol, as Streamlit opens it."""

import socket
from pathlib import Path

from server.start import set_tcp_nodelay


def listening() -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind(("127.0.0.1", 0))
    found.listen()
    return found


def sends_without_delay(server: socket.socket) -> bool:
    """Return whether the server's side of a new connection does."""
    with socket.create_connection(server.getsockname()[:2]):
        accepted, _ = server.accept()
        with accepted:
            return bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_a_listening_socket_is_found_and_its_connections_send_without_delay() -> None:
    with listening() as server:
        assert not sends_without_delay(server)
        set_tcp_nodelay()
        assert sends_without_delay(server)


def test_sockets_of_other_families_are_left_alone(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other, listening() as server:
        other.bind(f"{tmp_path}/socket")
        other.listen()
        set_tcp_nodelay()
        assert sends_without_delay(server)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{tmp_path}/socket")
