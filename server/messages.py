"""Streamlit's messages over the websocket, as far as the session guard reads them."""

from dataclasses import dataclass

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.paths import media

DOWNLOAD = "deferred_file"
RUN = "rerun_script"
NEEDED = frozenset({RUN, "stop_script", "file_urls_request", "app_heartbeat", DOWNLOAD})
"""Messages that the pages send: runs of the script and their end, places for uploads, signs of life, and downloads."""


@dataclass(frozen=True)
class Sent:
    """A message of a browser: its kind, and of a request its number."""

    kind: str
    request: str = ""


@dataclass(frozen=True)
class Told:
    """A message of Streamlit to a browser: the visit that it has, that a run has begun, that one has ended and no other
    follows at once, or the answer to a request with the file made for it."""

    visit: str = ""
    begins_run: bool = False
    ends_run: bool = False
    request: str = ""
    file: str | None = None


def sent(message: bytes) -> Sent | None:
    """Read what a browser sends; return None where it is no message."""
    try:
        read = BackMsg.FromString(message)
    except DecodeError:
        return None
    kind = read.WhichOneof("type") or "nothing"
    if kind != "backend_operation_request":
        return Sent(kind)
    request = read.backend_operation_request
    return Sent(request.WhichOneof("payload") or "nothing", request.request_id)


def told(message: bytes) -> Told:
    """Read what Streamlit tells, as far as `Told` holds it."""
    read = ForwardMsg.FromString(message)
    match read.WhichOneof("type"):
        case "new_session":
            return Told(visit=read.new_session.initialize.session_id, begins_run=True)
        case "script_finished":
            return Told(ends_run=read.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        case "backend_operation_response":
            answer = read.backend_operation_response
            return Told(request=answer.request_id, file=media(answer.deferred_file.url))
        case _:
            return Told()


def refusal(request: str, why: str) -> bytes:
    """The answer to a request for a download that the browser shows below its button."""
    answer = ForwardMsg()
    answer.backend_operation_response.request_id = request
    answer.backend_operation_response.error_msg = why
    message: bytes = answer.SerializeToString()
    return message
