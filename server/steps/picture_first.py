"""At a step the picture leaves before the rest of what its run tells the page.

Streamlit hands each of a run's messages to its loop by itself, and the loop sends them while the script goes on: some
thirty messages, which nobody looks at before the picture, cost it half as much as the script itself until there. Here
they wait until the picture is there or the run ends, and a tenth of a second at most. The picture leaves by itself,
marked for `server.steps.together`, which hands it on and has the rest follow; at its place in the run only its name is
sent. The run rests meanwhile: the rest is shown when the picture is painted, and no sooner.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event as Signal
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.session_manager import SessionClientDisconnectedError

from server.steps.together import EARLY, WAIT

Event = dict[str, Any]
"""What a run tells Streamlit's session, by the names of its parameters."""
Place = tuple[int, ...]
ON_ITS_WAY = 0.02
"""Seconds for which a run waits, at most, until its picture has left: what it computes meanwhile holds up the loop."""
DRAWING = 0.08
"""Seconds for which it rests then: the browser draws, often on the same processors, and shows nothing else before."""


@dataclass(eq=False)
class _Visit:
    """The pictures that a visit's page shows, by place, the list of its pages, and events that wait; None for none."""

    pictures: dict[Place, str] = field(default_factory=dict)
    pages: bytes = b""
    waiting: list[Event] | None = None
    lock: Lock = field(default_factory=Lock)


_visits: WeakKeyDictionary[AppSession, _Visit] = WeakKeyDictionary()


def send_pictures_first() -> None:
    """In this process, from now on."""
    AppSession._on_scriptrunner_event = _take  # type: ignore[assignment,method-assign]


def _take(session: AppSession, sender: Any, **event: Any) -> None:
    event["sender"] = sender
    left: Signal | None = None
    visit = _visits.setdefault(session, _Visit())
    with visit.lock:
        if event["event"] == ScriptRunnerEvent.SCRIPT_STARTED:
            _hand_on(session, visit)
            if visit.pictures:
                visit.waiting = [event]
                session._call_soon_on_event_loop(partial(_be_patient, session, visit, visit.waiting))
                return
        if visit.waiting is None:
            visit.waiting = [event]
        else:
            visit.waiting.append(event)
            if (message := event.get("forward_msg")) is not None and not _is_picture(visit, message):
                return
            if message is not None and (named := _name_instead(visit, message)) is not None:
                event["forward_msg"], left = named, Signal()
                session._call_soon_on_event_loop(partial(_send, session, message, left))
        _hand_on(session, visit)
    if left is not None and left.wait(ON_ITS_WAY):
        time.sleep(DRAWING)


def _is_picture(visit: _Visit, message: ForwardMsg) -> bool:
    """Whether a message holds a picture, or names what stands where a picture does."""
    if message.HasField("ref_hash"):
        return _place(message) in visit.pictures
    return message.HasField("delta") and message.delta.new_element.HasField("plotly_chart")


def _place(message: ForwardMsg) -> Place:
    return tuple(message.metadata.delta_path)


def _name(message: ForwardMsg) -> str:
    return message.ref_hash or message.hash


def _name_instead(visit: _Visit, picture: ForwardMsg) -> ForwardMsg | None:
    """The name of a picture that takes another one's place and that browsers keep."""
    if visit.pictures.get(_place(picture)) in (None, _name(picture)):
        return None
    if picture.HasField("ref_hash"):
        return picture
    return create_reference_msg(picture) if picture.metadata.cacheable else None


def _send(session: AppSession, picture: ForwardMsg, left: Signal) -> None:
    early = ForwardMsg.FromString(picture.SerializeToString() + EARLY)
    if (client := runtime.get_instance().get_client(session.id)) is not None:
        with suppress(SessionClientDisconnectedError):
            client.write_forward_msg(early)
    session._event_loop.call_soon(left.set)  # after whatever takes it to the browser


def _be_patient(session: AppSession, visit: _Visit, waiting: list[Event]) -> None:
    session._event_loop.call_later(WAIT / 1000, partial(_wait_no_longer, session, visit, waiting))


def _wait_no_longer(session: AppSession, visit: _Visit, waiting: list[Event]) -> None:
    with visit.lock:
        if visit.waiting is waiting:
            _hand_on(session, visit)


def _hand_on(session: AppSession, visit: _Visit) -> None:
    events, visit.waiting = visit.waiting or [], None
    for event in events:
        if (message := event.get("forward_msg")) is not None:
            _note(visit, message)
    if events:
        session._call_soon_on_event_loop(partial(_tell, session, events))


def _note(visit: _Visit, message: ForwardMsg) -> None:
    if message.HasField("navigation"):
        pages = message.navigation.SerializeToString()
        if pages != visit.pages:
            visit.pages = pages
            visit.pictures.clear()
    elif _is_picture(visit, message):
        visit.pictures[_place(message)] = _name(message)
    elif not message.delta.new_element.HasField("empty"):  # which holds a place for what comes
        visit.pictures.pop(_place(message), None)


def _tell(session: AppSession, events: list[Event]) -> None:
    for event in events:
        session._handle_scriptrunner_event_on_event_loop(**event)
