"""A page is shown to nobody before the first visitor comes, who else waits for what happens once: the database is
opened, samples are made, and Streamlit looks through every program's file for the one that it was started by.
"""

import asyncio

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import SessionClient


class _Nobody(SessionClient):
    """Waits for the end of the page's script."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        if msg.WhichOneof("type") == "script_finished":
            self.ended.set()


async def rehearse() -> None:
    """Has the first page run, as for a browser without a cookie, to its end."""
    here, nobody = runtime.get_instance(), _Nobody()
    visit = here.connect_session(client=nobody, user_info={})
    asks = BackMsg()
    asks.rerun_script.SetInParent()
    here.handle_backmsg(visit, asks)
    await nobody.ended.wait()
    here.close_session(visit)
