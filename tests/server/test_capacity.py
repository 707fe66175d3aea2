"""Capacity for pages: by the setting, and by the system's free file handles."""

import os
import resource
from collections.abc import Iterator

import pytest

from server import run_queue


@pytest.fixture
def few_files() -> Iterator[int]:
    """A limit a little above what this process has open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = run_queue._open_files() + 400
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
    yield limit
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_there_is_room_up_to_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "open_visits", lambda: 5)
    assert not run_queue.is_full(6)
    assert run_queue.is_full(5)


def test_pages_leave_files_for_everything_else(few_files: int) -> None:
    held = []
    try:
        while not run_queue.is_full(10**6):
            held.append(os.open(os.devnull, os.O_RDONLY))
        assert few_files - max(held) - 1 >= min(run_queue.RESERVED_FILES, few_files // 4)
        assert len(held) > 100
    finally:
        for number in held:
            os.close(number)
    assert not run_queue.is_full(10**6)


def test_the_limit_is_raised_to_what_the_system_gives(few_files: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert run_queue.raise_file_limit() in (hard, 2**31)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
