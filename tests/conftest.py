"""Settings of all tests: the folder of real data, the number of processes, the order, and the slow tier."""

import gc
import os
import random
import re
import subprocess
from collections.abc import Generator
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

# Read when numpy is first imported, by this process and whatever it starts. There is a test process per processor:
# products of matrices by several threads in each wait for each other, four times as long as they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.sample_database import one_at_a_time, share_folder

gc.disable()  # what is imported and collected stays
settings.register_profile(
    "no clock",
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("no clock")
ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"
SECOND_TIER = re.compile(r"journey|storage|EVERY_|lake|postgres|\bs3\b")
"""Marks of the second tier, or fixtures that a folder's conftest.py marks: a file with such tests holds one."""
UNUSUAL = (ROOT / "tests" / "attacks", ROOT / "tests" / "browser")
"""Folders without tests of the first tier."""
IN_ONE_PROCESS = (ROOT / "tests" / "browser", ROOT / "tests" / "attacks", ROOT / "tests" / "data")
"""Folders of the second tier whose tests share what takes seconds to start: a server, a browser, a lake."""
LONGEST = ("browser", "data", "roundtrip", "attacks")
"""Folders of the second tier that start first, the longest first."""
SLOW_RUN = ROOT / "tests" / "slow-run.txt"
"""When the slow tier last ran, at which commit, and what came out; every full run of it writes the file anew."""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real ratings next to a checkout of the team; it is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no real data: the folder ../shared/data does not stand beside this checkout")
    return SHARED_DATA


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


def pytest_sessionstart(session: pytest.Session) -> None:
    share_folder(session.config)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return a process per processor for a whole tier, half as many again for the second, whose tests mostly wait, and
    none for files or tests that are named."""
    processors = (os.cpu_count() or 1) if _whole(config) else 0
    return processors * 3 // 2 if _is_second_tier(config) else processors


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Each process of a tier would read all tests, which takes it longer than many of its own."""
    if _is_second_tier(config):
        of_another = collection_path.match("test_*.py") and not _may_hold_second_tier(collection_path)
    else:
        of_another = _is_first_tier(config) and collection_path in UNUSUAL
    return True if of_another else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let processes on a clean machine collect in turn: what the first has compiled the others only load."""
    in_turn = "CI" in os.environ and _is_first_tier(session.config) and hasattr(session.config, "workerinput")
    with one_at_a_time("collecting") if in_turn else nullcontext():
        return (yield)


class _ByGroup(LoadScopeScheduling):
    """Give each process whole files, or whole folders whose tests share a server, in the order of the tests."""

    def _split_scope(self, nodeid: str) -> str:
        return _group_of(ROOT / nodeid.partition("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Return the scheduler of the second tier: marks of `xdist_group` have no effect in pytest 9.2 with xdist 3.8."""
    if not _is_second_tier(config):
        return None
    config.option.loadscopereorder = False
    return _ByGroup(config, log)


@cache
def _group_of(file: Path) -> str:
    """Name what one process runs: a file, or a whole folder."""
    folders = [folder for folder in IN_ONE_PROCESS if folder in file.parents]
    return str((folders[0] if folders else file).relative_to(ROOT))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks.isdisjoint({"journey", "storage"}):
            is_seen = "slow" in marks or not _is_unusual(item.path)
            assert is_seen, f"the first tier does not look for {item.nodeid}"
        else:
            assert _may_hold_second_tier(item.path), f"the second tier does not look for {item.nodeid}"
    if _is_second_tier(config):
        items.sort(key=_place_in_second_tier)
    seed = config.getoption("shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt objects alive by now from garbage collection: scanning them takes an eighth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _whole(config) and SLOW_RUN.exists():
        terminalreporter.write_line(f"the slow tests last ran {SLOW_RUN.read_text(encoding='utf-8').strip()}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workerinput") or config.getoption("markexpr") != "slow" or not _whole(config):
        return
    if config.getoption("collectonly"):
        return
    outcomes = config.pluginmanager.get_plugin("terminalreporter").stats
    counts = ", ".join(
        f"{len(outcomes[kind])} {kind}" for kind in ("passed", "failed", "error") if kind in outcomes
    )
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    SLOW_RUN.write_text(
        f"on {datetime.now(UTC):%Y-%m-%d} at {commit}: {counts or 'nothing'}\n", encoding="utf-8"
    )


def _is_first_tier(config: pytest.Config) -> bool:
    return str(config.getoption("markexpr")).startswith("not journey") and _whole(config)


def _is_second_tier(config: pytest.Config) -> bool:
    return str(config.getoption("markexpr")).startswith("(journey or")


@cache
def _may_hold_second_tier(file: Path) -> bool:
    """Return whether the second tier reads the file; the first, which reads all, fails where it should."""
    return _is_unusual(file) or SECOND_TIER.search(file.read_text(encoding="utf-8")) is not None


@cache
def _is_unusual(file: Path) -> bool:
    """Return True in the folders without tests of the first tier."""
    return not {*UNUSUAL}.isdisjoint(file.parents)


def _place_in_second_tier(item: pytest.Item) -> int:
    """Return 0 for what takes longest: short files come last, so that all processes end together."""
    folder = item.path.relative_to(ROOT / "tests").parts[0]
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


def _whole(config: pytest.Config) -> bool:
    """Return whether all folders are collected, not only named ones."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS
