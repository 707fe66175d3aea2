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
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.session_manager import SessionClientDisconnectedError

from server.steps.shown_pictures import ShownPictures
from server.steps.together import EARLY, WAIT

Event = dict[str, Any]
"""What a run tells Streamlit's session, by the names of its parameters."""
ON_ITS_WAY = 0.02
"""Seconds for which a run waits, at most, until its picture has left: what it computes meanwhile holds up the loop."""
DRAWING = 0.08
"""Seconds for which it rests then: the browser draws, often on the same processors, and shows nothing else before."""


@dataclass(eq=False)
class _Visit:
    """The pictures that a visit's page shows, whose run it is, and events that wait; None for none."""

    shown: ShownPictures = field(default_factory=ShownPictures)
    runner: Any = None
    waiting: list[Event] | None = None
    lock: RLock = field(default_factory=RLock)


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
            visit.runner = sender
            visit.shown.take(event["event"], None)
            if visit.shown.names:
                visit.waiting = [event]
                session._call_soon_on_event_loop(partial(_be_patient, session, visit, visit.waiting))
                return
        elif visit.runner is not sender:  # another one's run has begun: nothing of this is sent
            session._call_soon_on_event_loop(partial(_handle, session, event))
            return
        if visit.waiting is None:
            visit.waiting = [event]
        else:
            visit.waiting.append(event)
            if (message := event.get("forward_msg")) is not None and not visit.shown.is_picture(message):
                return
            if message is not None and (named := _name_instead(visit, message)) is not None:
                event["forward_msg"], left = named, Signal()
                session._call_soon_on_event_loop(partial(_send, session, visit, event, message, left))
        _hand_on(session, visit)
    if left is not None and left.wait(ON_ITS_WAY):
        time.sleep(DRAWING)


def _name_instead(visit: _Visit, picture: ForwardMsg) -> ForwardMsg | None:
    """The name of a picture that takes another one's place and that browsers keep."""
    if not visit.shown.is_another(picture):
        return None
    if picture.HasField("ref_hash"):
        return picture
    return create_reference_msg(picture) if picture.metadata.cacheable else None


def _send(session: AppSession, visit: _Visit, event: Event, picture: ForwardMsg, left: Signal) -> None:
    with visit.lock:
        if not visit.shown.names:  # what came before has not been sent after all
            event["forward_msg"] = picture
            left.set()
            return
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
        if event["event"] != ScriptRunnerEvent.SCRIPT_STARTED:
            visit.shown.take(event["event"], event.get("forward_msg"))
    if events:
        session._call_soon_on_event_loop(partial(_tell, session, visit, events))


def _tell(session: AppSession, visit: _Visit, events: list[Event]) -> None:
    for event in events:
        if event["sender"] is not session._scriptrunner and event.get("forward_msg") is not None:
            with visit.lock:  # it is not sent
                visit.shown.forget()
        _handle(session, event)


def _handle(session: AppSession, event: Event) -> None:
    session._handle_scriptrunner_event_on_event_loop(**event)
