"""Start of the server: modules that are loaded before the first visitor, and the options of its sockets."""

import ast
import asyncio
import os
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import SessionClient


def import_page_modules(pages: Path) -> None:
    """Import the modules that the scripts of a folder import, without running the scripts."""
    for script in sorted(pages.glob("*.py")):
        body = ast.parse(script.read_text(encoding="utf-8")).body
        imports: list[ast.stmt] = [line for line in body if isinstance(line, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(imports, []), script, "exec"), {})


class _WarmUpClient(SessionClient):
    """Client that waits for the end of the page's script."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        if msg.WhichOneof("type") == "script_finished":
            self.ended.set()


async def warm_up() -> None:
    """Run the first page to its end, as for a browser without a cookie."""
    running_app, client = runtime.get_instance(), _WarmUpClient()
    visit = running_app.connect_session(client=client, user_info={})
    request = BackMsg()
    request.rerun_script.SetInParent()
    running_app.handle_backmsg(visit, request)
    await client.ended.wait()
    running_app.close_session(visit)


SWITCH_INTERVAL = 0.02
"""Seconds for which a thread keeps the interpreter while others wait, about as long as a script takes to its figure."""


def set_switch_interval() -> None:
    """Let a page's script run on to its figure: what it draws is sent together, so that a browser renders it once."""
    sys.setswitchinterval(SWITCH_INTERVAL)


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
