"""Turns of the threads of the server."""

import sys
import threading

from server.start import SWITCH_INTERVAL, set_switch_interval


def test_a_thread_keeps_the_interpreter_for_the_time_of_a_figure() -> None:
    before = sys.getswitchinterval()
    seen: list[float] = []
    try:
        set_switch_interval()
        other = threading.Thread(target=lambda: seen.append(sys.getswitchinterval()))
        other.start()
        other.join()
    finally:
        sys.setswitchinterval(before)
    assert before < SWITCH_INTERVAL
    assert seen == [SWITCH_INTERVAL]
