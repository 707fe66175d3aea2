"""The server: Streamlit as an ASGI app, and around it what stands between the network and the pages.

An ASGI app rather than a plain script, because the entry script must lie inside `pages/` (Streamlit would
otherwise serve every file there past the frame), because the cookie that proves ownership must be set before the
first script runs, and because headers, limits, health and logs belong to the server, not to a page.

    streamlit run app.py        or        uvicorn app:app
"""

import asyncio
import gc
import logging
import math
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

# Read when numpy is first imported. Where visitors want the processors, products of matrices by several threads wait
# for each other: seven fits of variance components took 89 s in place of 5.5 s.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st
from starlette.middleware import Middleware
from streamlit import config, runtime

from data.errors import BadSetting
from data.importing.spool import Spool
from data.settings import LIMITS, from_environment, unknown_variables
from data.store.store import Store
from server import run_queue, start
from server.arrivals import UploadSpooler, arrivals
from server.health import Health
from server.log import RequestLog, log_failure, set_up_logging
from server.run_queue import Visits
from server.session_guard import SessionGuard
from server.start import set_switch_interval, set_tcp_nodelay, warm_up
from server.static_files import ClosedPaths, PageScripts, SecurityHeaders, StaticFiles, precompress
from server.upload_limits import UploadLimits
from server.workspace_cookie import WorkspaceCookie

PAGES = Path(__file__).resolve().parent / "pages"
SWEEP_EVERY = 6 * 3600
REHEARSAL = 5
"""Seconds for which it holds up the start, at most: where it takes longer the server answers meanwhile."""
_log = logging.getLogger("raterscope")

try:
    settings = from_environment()
except BadSetting as error:
    raise SystemExit(f"Raterscope does not start: {error}") from None


@cache
def store() -> Store:
    """The server's own hold on the store, opened by whoever needs it first."""
    return Store(settings=settings)


class StreamlitVisitors:
    """Streamlit's state of its visits and their uploads."""

    def is_open(self, visit: str) -> bool:
        return runtime.exists() and runtime.get_instance().is_active_session(visit)

    def stored_bytes(self, visit: str) -> int:
        return arrivals.stored_bytes(visit)


visitors = StreamlitVisitors()


def show_failure(error: Exception) -> bool:
    """In place of Streamlit's own box, which offers to send the error to search engines."""
    number = log_failure("a page failed", error)
    st.error(
        "Something failed on our side, and nothing you saved was touched. Reload the page; if it fails again, "
        f"tell the operator of this server the number {number} and what you did."
    )
    return True


async def sweep() -> None:
    """At the start and every few hours: uploads nobody saved and data sets nobody used go, the others are verified."""
    while True:
        for what, step in (
            ("uploads that waited too long could not be swept", lambda: store().spool.sweep()),
            ("unused data sets could not be swept", lambda: store().sweep_unused()),
            ("stored data sets could not be verified", lambda: store().verify_in_background()),
        ):
            await _try(what, step)
        await asyncio.sleep(SWEEP_EVERY)


async def sweep_arrivals() -> None:
    """Every half minute: uploads go whose visits have ended."""
    spool = Spool(settings)
    while True:
        await asyncio.sleep(30)
        for arrival in arrivals.remove_ended(visitors.is_open):
            await asyncio.to_thread(spool.discard, arrival.path)


async def _try(what: str, step: Callable[[], object]) -> None:
    try:
        await asyncio.to_thread(step)
    except Exception as error:
        log_failure(what, error)


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    set_tcp_nodelay()
    set_switch_interval()
    await asyncio.gather(asyncio.to_thread(start.import_page_modules, PAGES), asyncio.to_thread(precompress))
    tasks = [asyncio.create_task(work) for work in (warm_up(), sweep(), sweep_arrivals())]
    await asyncio.wait(tasks[:1], timeout=REHEARSAL)
    gc.collect()
    gc.freeze()  # modules live as long as the server: to look through them again holds everybody up for 0.13 s
    _log.info("started")
    yield
    for task in tasks:
        task.cancel()
    if store.cache_info().currsize:
        store().close()
    _log.info("stopped")


set_up_logging()
if ignored := unknown_variables():
    _log.warning("variables that are no settings have no effect", extra={"fields": {"variables": ignored}})
if LIMITS in os.environ:
    _log.warning("limits of tests are in force")
run_queue.raise_file_limit()
app = st.App(
    PAGES / "_frame.py",
    lifespan=lifespan,
    middleware=[
        Middleware(SecurityHeaders, settings=settings),
        Middleware(RequestLog),
        Middleware(ClosedPaths),
        Middleware(StaticFiles),
        Middleware(Health, store=store),
        Middleware(PageScripts),
        Middleware(WorkspaceCookie, https=settings.https),
        Middleware(SessionGuard, settings=settings),
        Middleware(UploadLimits, settings=settings, visitors=visitors),
        Middleware(UploadSpooler, settings=settings),
        Middleware(Visits),
    ],
    on_script_error=show_failure,
)
config.set_option("server.maxUploadSize", math.ceil(settings.upload_size / 10**6))
if config.get_option("client.showErrorDetails") != "none":
    raise SystemExit(
        "Raterscope does not start: .streamlit/config.toml was not read, which keeps internals from visitors; start "
        f"in the folder {Path(__file__).resolve().parent}, and set no client.showErrorDetails."
    )
