"""PostgreSQL and an S3 store for tests: loopback only, on free ports, with data in the test's folder.

Both can be stopped and started again under the same address, which is how tests make them fail.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_STARTING = 120.0


class Postgres:
    """A PostgreSQL server of its own in a folder, which nobody needs a password for."""

    def __init__(self, folder: Path) -> None:
        self._programs = programs()
        self._data = folder / "postgres"
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self._data, "nobody", "nogroup")
        subprocess.run(
            [self._program("initdb"), "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **_as_nobody(),
        )
        self.start()

    def url(self, database: str) -> str:
        """Return the store's URL of this database, creating it if needed."""
        if self.ask(f"SELECT 1 FROM pg_database WHERE datname = '{database}'") == "":
            self.ask(f'CREATE DATABASE "{database}"')
        return f"ducklake:postgres:host=127.0.0.1 port={self.port} user=postgres dbname={database}"

    def new_url(self) -> str:
        return self.url(f"lake_{secrets.token_hex(6)}")

    def ask(self, statement: str, database: str = "postgres") -> str:
        """Output of psql."""
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        return subprocess.run(
            [self._program("psql"), *address, "-qAtc", statement],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        ).stdout.strip()

    def start(self) -> None:
        # more connections than by default: many lakes are open in one run, each with a few
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "400"}
        options |= {"fsync": "off", "full_page_writes": "off"}  # what these protect from is a loss of power
        self._process = subprocess.Popen(
            [self._program("postgres"), "-D", self._data, "-p", str(self.port)]
            + [part for name, value in options.items() for part in ("-c", f"{name}={value}")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **_as_nobody(),
        )
        give_up = time.monotonic() + _STARTING
        while True:
            with suppress(subprocess.CalledProcessError):
                self.ask("SELECT 1")
                return
            if time.monotonic() > give_up or self._process.poll() is not None:
                raise RuntimeError("PostgreSQL does not start")
            time.sleep(0.05)

    def stop(self, kind: signal.Signals = signal.SIGINT) -> None:
        """Ends it at once: every connection is cut, whatever it does. SIGQUIT leaves a crash to recover from."""
        if self._process is not None:
            self._process.send_signal(kind)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(timeout=30)
            self._process = None

    def _program(self, name: str) -> Path:
        return self._programs / name


class S3:
    """An S3 store that keeps everything in memory: while it is `away` it answers nobody but forgets nothing."""

    region = "us-east-1"
    key = "testing"
    secret = "testing secret"

    def __init__(self) -> None:
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.bucket = "raterscope"
        # a process of its own holds the port, so that a connection can be refused without losing the objects
        self._hidden = free_port()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._hidden)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._door: subprocess.Popen[bytes] | None = None
        give_up = time.monotonic() + _STARTING
        while True:
            with suppress(OSError):
                self._call(f"http://127.0.0.1:{self._hidden}/{self.bucket}", "PUT")
                break
            if time.monotonic() > give_up or self._process.poll() is not None:
                self.close()
                raise RuntimeError("the S3 server does not start")
            time.sleep(0.05)
        self.start()

    def new_path(self) -> str:
        return f"s3://{self.bucket}/{secrets.token_hex(6)}/"

    def remove(self, name: str) -> None:
        """Remove the object of an address `s3://bucket/…`."""
        import boto3

        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.key,
            aws_secret_access_key=self.secret,
        )
        bucket, _, key = name.removeprefix("s3://").partition("/")
        client.delete_object(Bucket=bucket, Key=key)

    def start(self) -> None:
        """Open the store to connections."""
        self._door = subprocess.Popen(
            [sys.executable, __file__, str(self.port), str(self._hidden)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + _STARTING
        while True:
            with suppress(OSError):
                self._call(f"{self.endpoint}/{self.bucket}", "GET")
                return
            if time.monotonic() > give_up:
                raise RuntimeError("the S3 server does not start")
            time.sleep(0.02)

    def stop(self) -> None:
        """Every connection is cut, and none can be made."""
        if self._door is not None:
            _end(self._door)
            self._door = None

    def close(self) -> None:
        self.stop()
        _end(self._process)

    @staticmethod
    def _call(address: str, method: str) -> None:
        with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=5):
            pass


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A server that is ended with this context.

    Not in pytest's folders: every session closes those to all but their owner again, also while others run.
    """
    with tempfile.TemporaryDirectory(prefix="raterscope-postgres-") as folder:
        if os.geteuid() == 0:
            Path(folder).chmod(0o711)
        server = Postgres(Path(folder))
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def s3() -> Iterator[S3]:
    """A store that is ended with this context."""
    store = S3()
    try:
        yield store
    finally:
        store.close()


def programs() -> Path:
    """Return the folder of the newest PostgreSQL programs. Raises FileNotFoundError where there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda at: int(at.parts[-3]))
    path = str(found[-1]) if found else shutil.which("postgres")
    if path is None:
        raise FileNotFoundError("PostgreSQL is not installed (Debian: apt install postgresql)")
    return Path(path).parent


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=10)


def _as_nobody() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    return {"user": "nobody", "group": "nogroup", "extra_groups": [], "cwd": "/"}


def _door(port: int, hidden: int) -> None:
    """Passes bytes on between a port and a hidden one; killed, it cuts them all."""
    import asyncio

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                writer.write(piece)
                await writer.drain()
        writer.close()

    async def enter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", hidden)
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async def stand() -> None:
        server = await asyncio.start_server(enter, "127.0.0.1", port)
        await server.serve_forever()

    asyncio.run(stand())


if __name__ == "__main__":
    _door(int(sys.argv[1]), int(sys.argv[2]))
