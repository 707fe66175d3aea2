"""Connections send at once, also those of the socket that Streamlit opens itself, which would not."""

import socket

from streamlit.web.server.starlette.starlette_server import _bind_socket

from server.start.sending import send_at_once


def sends_at_once(listening: socket.socket) -> bool:
    """Whether the server's side of a new connection does."""
    listening.setblocking(True)
    with socket.create_connection(listening.getsockname()[:2]):
        accepted, _ = listening.accept()
        with accepted:
            return bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_a_listening_socket_is_found_and_its_connections_send_at_once() -> None:
    with _bind_socket("127.0.0.1", 0, 5) as listening:
        assert not sends_at_once(listening)
        send_at_once()
        assert sends_at_once(listening)


def test_what_listens_elsewhere_is_left_alone(tmp_path: object) -> None:
    with socket.socket(socket.AF_UNIX) as listening, _bind_socket("127.0.0.1", 0, 5) as other:
        listening.bind(f"{tmp_path}/place")
        listening.listen()
        send_at_once()
        assert sends_at_once(other)
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(f"{tmp_path}/place")
