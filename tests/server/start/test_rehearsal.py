"""The first page runs to its end for nobody, and nothing of the visit stays."""

import asyncio

import pytest
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import SessionClient

from server.start import warm_up


class Runtime:
    """Answers as Streamlit's does, with a message first and the end of the run later."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    def connect_session(self, client: SessionClient, user_info: dict[str, str]) -> str:
        assert user_info == {}
        self.client = client
        return "visit"

    def handle_backmsg(self, visit: str, message: BackMsg) -> None:
        self.happened.append(f"{message.WhichOneof('type')} in {visit}")
        self.client.write_forward_msg(ForwardMsg(hash="of a text"))
        asyncio.get_running_loop().call_soon(self.end)

    def end(self) -> None:
        self.happened.append("ends")
        self.client.write_forward_msg(ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY))

    def close_session(self, visit: str) -> None:
        self.happened.append(f"{visit} is closed")


def test_the_first_page_runs_to_its_end_and_the_visit_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    streamlit = Runtime()
    monkeypatch.setattr(runtime, "get_instance", lambda: streamlit)
    asyncio.run(warm_up())
    assert streamlit.happened == ["rerun_script in visit", "ends", "visit is closed"]
