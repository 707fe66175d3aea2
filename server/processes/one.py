"""One of several processes that `python -m server` starts: the pages, for the visitors that are handed to it."""

import sys

import uvicorn

from server.processes.handed import Handed


def main() -> None:
    config = uvicorn.Config(
        "app:app",
        loop="asyncio",  # others ask a listening socket for more than Python's
        ws="websockets-sansio",
        ws_ping_interval=30,
        ws_ping_timeout=30,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=20,
    )
    uvicorn.Server(config).run([Handed(fileno=int(sys.argv[1]))])


if __name__ == "__main__":
    main()
