"""Where pictures stand in a visitor's browser, as far as it is sure: one that is sent to a place which is no longer
there ends the page.

The browser keeps blocks of elements by their place. An element in a block's place removes what the block held, as does
a block of another type; the end of a run removes what it did not send again; and what is shown for a while (a spinner)
moves what follows until its run ends.
"""

from dataclasses import dataclass, field

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

Place = tuple[int, ...]


def place_of(message: ForwardMsg) -> Place:
    return tuple(message.metadata.delta_path)


def name_of(message: ForwardMsg) -> str:
    """What a browser that keeps a message knows it by."""
    return message.ref_hash or message.hash


@dataclass(eq=False)
class ShownPictures:
    """The names of the pictures that a visit's page shows, by place.

    `sent` are places of this run's, `of_fragments` those that a fragment drew; `blocks` are the types of blocks;
    `running` is whether a run has not ended, `moved` whether it shows something for a while; `pages` is the list of
    pages, which says which one is open.
    """

    names: dict[Place, str] = field(default_factory=dict)
    sent: set[Place] = field(default_factory=set)
    of_fragments: set[Place] = field(default_factory=set)
    blocks: dict[Place, str] = field(default_factory=dict)
    running: bool = False
    moved: bool = False
    pages: bytes = b""

    def is_picture(self, message: ForwardMsg) -> bool:
        """Whether a message holds a picture, or names what stands where a picture does."""
        if message.HasField("ref_hash"):
            return place_of(message) in self.names
        return message.HasField("delta") and message.delta.new_element.HasField("plotly_chart")

    def is_another(self, message: ForwardMsg) -> bool:
        """Whether a picture takes the place of another one that surely stands there."""
        return not self.moved and self.names.get(place_of(message)) not in (None, name_of(message))

    def take(self, event: ScriptRunnerEvent, message: ForwardMsg | None) -> None:
        """What a run tells the browser next."""
        if message is None:
            self._begin_or_end(event)
        elif message.HasField("navigation"):
            pages = message.navigation.SerializeToString()
            if pages != self.pages:
                self.pages = pages
                self.forget()
        elif message.HasField("delta") or message.HasField("ref_hash"):
            self._set(message)

    def _begin_or_end(self, event: ScriptRunnerEvent) -> None:
        if event == ScriptRunnerEvent.SCRIPT_STARTED:
            if self.running:  # of another runner, whose last messages may never have been sent
                self.forget()
            self.sent = set()
        elif event == ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS:
            self._keep(self.sent)
        elif event == ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS:
            self._keep(self.sent | (self.names.keys() - self.of_fragments))
        elif self.moved:
            self.forget()
        self.running = event == ScriptRunnerEvent.SCRIPT_STARTED

    def _set(self, message: ForwardMsg) -> None:
        place, delta = place_of(message), message.delta
        if delta.HasField("new_transient"):
            self.moved = True
            return
        if delta.HasField("add_block"):
            kind = str(delta.add_block.WhichOneof("type"))
            if self.blocks.get(place) != kind:
                self._drop_below(place)
            self.blocks[place] = kind
            self.names.pop(place, None)
            return
        self._drop_below(place)
        if self.is_picture(message):
            self.names[place] = name_of(message)
            self.sent.add(place)
            if delta.fragment_id:
                self.of_fragments.add(place)
        elif not delta.new_element.HasField("empty"):  # which holds a place for what comes
            self.names.pop(place, None)

    def _drop_below(self, place: Place) -> None:
        self.blocks.pop(place, None)
        for there in (self.names, self.blocks):
            for other in [each for each in there if len(each) > len(place) and each[: len(place)] == place]:
                del there[other]

    def _keep(self, places: set[Place]) -> None:
        self.names = {place: name for place, name in self.names.items() if place in places}
        self.moved = False

    def forget(self) -> None:
        self.names, self.blocks, self.of_fragments, self.moved = {}, {}, set(), False
