"""Where a step of a control spends its time: in the script, by the module of ours that asked for it, and what is sent.

`python -m benchmarks.steps.step_profile repetitions.py shuffles 201 202 203 … [d=KEY name=value …]` opens a page as an
address would and moves one control from value to value, without a browser and without the wait for one. Times are the
script's own (its thread's processor time), so that other load does not count; shares come from looking a thousand
times a second where the script stands. `benchmarks.steps.beside_bare` measures what a browser sees.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.samples import SAMPLES
from tests.browser.conftest import ROOT, database_with_samples

EVERY = 0.001
"""Seconds between two looks at the script."""
OURS = ("analysis", "charts", "data", "findings", "pages", "panels", "server")
WARM = 3
LISTED = 25
KINDS_OF_CONTROL = ("slider", "number_input", "selectbox", "multiselect")


@dataclass
class Spent:
    """What the steps so far took: each one's milliseconds, messages and bytes, and looks by who was at work."""

    milliseconds: list[float] = field(default_factory=list)
    to_picture: list[float] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    looks: Counter[tuple[str, str]] = field(default_factory=Counter)
    looks_to_picture: Counter[tuple[str, str]] = field(default_factory=Counter)


def whose(frame: Any) -> tuple[str, str]:
    """The innermost function of ours on a stack, and the package at work below it."""
    at_work = ""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in OURS:
            place = path.relative_to(ROOT).with_suffix("")
            return f"{'.'.join(place.parts)}.{frame.f_code.co_name}", at_work
        if not at_work and "site-packages" in path.parts:
            at_work = path.parts[path.parts.index("site-packages") + 1]
        frame = frame.f_back
    return "Streamlit's own", at_work


@contextmanager
def watched(spent: Spent) -> Iterator[None]:
    """Adds every run of a script meanwhile to what was spent."""
    from streamlit.runtime.scriptrunner import ScriptRunner
    from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

    run, enqueue = ScriptRunner._run_script, ScriptRunContext.enqueue
    sent: list[int] = []
    pictured: list[float] = []

    def looking(thread: int, ended: threading.Event) -> None:
        while not ended.wait(EVERY):
            if (frame := sys._current_frames().get(thread)) is not None:
                at_work = whose(frame)
                spent.looks[at_work] += 1
                if not pictured:
                    spent.looks_to_picture[at_work] += 1

    def timed(runner: Any, *given: Any) -> None:
        ended = threading.Event()
        looker = threading.Thread(target=looking, args=(threading.get_ident(), ended))
        sent.clear()
        pictured.clear()
        looker.start()
        start = time.thread_time()
        try:
            run(runner, *given)
        finally:
            spent.milliseconds.append(1000 * (time.thread_time() - start))
            spent.to_picture += [1000 * (at - start) for at in pictured[:1]]
            ended.set()
            looker.join()
            spent.messages.append(len(sent))
            spent.bytes.append(sum(sent))

    def counted(context: Any, message: Any) -> None:
        sent.append(message.ByteSize())
        if message.delta.new_element.WhichOneof("type") == "plotly_chart":
            pictured.append(time.thread_time())
        enqueue(context, message)

    ScriptRunner._run_script, ScriptRunContext.enqueue = timed, counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        ScriptRunner._run_script, ScriptRunContext.enqueue = run, enqueue  # type: ignore[method-assign]


def profile(page: str, key: str, values: Sequence[str], address: dict[str, str]) -> Spent:
    """Moves the control `key` of a page through values; the first ones only warm it up."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "raterscope.duckdb")
        database.write_bytes(database_with_samples())
        os.environ |= {"RATERSCOPE_DATABASE": str(database), "RATERSCOPE_SPOOL": str(Path(folder, "spool"))}
        import panels.parts.pictures
        import panels.parts.store

        panels.parts.store.APART = False
        panels.parts.pictures.DRAWING = 0.0
        move = opened(page, key, address)
        for value in values[:WARM]:
            move(value)
        spent = Spent()
        with watched(spent):
            for value in values[WARM:]:
                move(value)
        panels.parts.store.store().close()
    return spent


def opened(page: str, key: str, address: dict[str, str]) -> Callable[[str], None]:
    """The page with its address; what comes back moves its control."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "pages" / "_frame.py"), default_timeout=600)
    app.query_params["d"] = "of nobody"
    app.run()
    app.switch_page(page)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()

    def move(value: str) -> None:
        controls = [one for kind in KINDS_OF_CONTROL for one in app.get(kind) if one.key == key]
        if not controls:
            raise SystemExit(f"there is no control {key} on {page}")
        widget: Any = controls[0]
        if widget.type == "multiselect":
            widget.set_value(value.split(",") if value else []).run()
        else:
            widget.set_value(type(widget.value)(value)).run()
        if app.exception:
            raise SystemExit(app.exception[0].value)

    return move


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("page", help="repetitions.py")
    arguments.add_argument("key", help="of the control")
    arguments.add_argument("values", nargs="+", help="where it moves; or name=value of the address")
    given = arguments.parse_args()
    address = dict(one.split("=", 1) for one in given.values if "=" in one)
    values = [one for one in given.values if "=" not in one]
    if len(values) == 1 and ".." in values[0]:
        first, last = map(int, values[0].split(".."))
        values = [str(value) for value in range(first, last + 1)]
    spent = profile(given.page, given.key, values, {"d": SAMPLES[0].key, **address})
    print(
        f"{len(spent.milliseconds)} runs, median {statistics.median(spent.milliseconds):.0f} ms of the script, "
        f"{statistics.median(spent.to_picture or [0]):.0f} until the first picture is sent, "
        f"{statistics.median(spent.messages):.0f} messages, {statistics.median(spent.bytes) / 1000:.0f} kB\n"
    )
    for head, looks, taken in (
        ("until the first picture", spent.looks_to_picture, spent.to_picture),
        ("whole step", spent.looks, spent.milliseconds),
    ):
        if taken:
            print(f"| {head}: function of ours | package at work | ms |\n| --- | --- | --- |")
        for (function, package), found in looks.most_common(LISTED):
            print(f"| {function} | {package} | {statistics.mean(taken) * found / looks.total():.1f} |")
        print()


if __name__ == "__main__":
    main()
