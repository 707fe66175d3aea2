"""nginx with the shipped configuration (deploy/nginx.conf) in front of running servers, for tests and benchmarks.

Only ports, paths and the list of servers are replaced. The certificate is self-signed, so clients use `UNVERIFIED`.
"""

import os
import shutil
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser.conftest import ROOT, Server, free_port

UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE
HTTPS_SERVER = {"RATERSCOPE_HTTPS": "yes", "STREAMLIT_SERVER_COOKIE_SECRET": "0" * 32}
"""Environment of every server behind the proxy."""


@dataclass
class Nginx:
    """A running proxy: its https and http addresses, and its logs."""

    url: str
    plain: str
    access_log: Path
    error_log: Path


def program(name: str) -> str:
    """Return the path of an installed program. Raises FileNotFoundError if it is missing."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if found is None:
        raise FileNotFoundError(f"{name} is not installed (Debian: apt-get install nginx-light openssl)")
    return found


@contextmanager
def nginx(folder: Path, servers: Sequence[Server]) -> Iterator[Nginx]:
    """Run the proxy in an empty folder, in front of two servers, until the context ends."""
    folder.chmod(0o711)  # nginx gives up root's rights after its start
    https, plain = free_port(), free_port()
    _make_certificate(folder / "certificates")
    configuration = _configure(folder, https, plain, servers)
    error_log, output = folder / "error.log", folder / "output"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [program("nginx"), "-c", str(configuration), "-e", str(error_log), "-g", "daemon off;"],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    running = Nginx(
        f"https://localhost:{https}", f"http://127.0.0.1:{plain}", folder / "access.log", error_log
    )
    try:
        _wait_until_it_answers(running, process, output)
        yield running
    finally:
        Server(running.url, process, output).stop()


def _make_certificate(folder: Path) -> None:
    folder.mkdir()
    subprocess.run(
        (
            f"{program('openssl')} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
            "-keyout privkey.pem -out fullchain.pem"
        ).split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )


def _configure(folder: Path, https: int, plain: int, servers: Sequence[Server]) -> Path:
    """Write the shipped configuration with these ports; its log also names the visitor and the server that answered."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for old, new in (
        ("/tmp/", f"{folder}/"),
        ("listen 8080", f"listen 127.0.0.1:{plain}"),
        ("listen 8443", f"listen 127.0.0.1:{https}"),
        ("/dev/stdout", str(folder / "access.log")),
        ("/dev/stderr", str(folder / "error.log")),
        ('\'{"at"', '\'{"upstream":"$upstream_addr","visitor":"$visitor","at"'),
    ):
        assert old in text, old
        text = text.replace(old, new)
    upstream = (ROOT / "deploy" / "two-servers.conf").read_text(encoding="utf-8")
    for number, server in enumerate(servers, start=1):
        upstream = upstream.replace(f"raterscope-{number}:8501", f"127.0.0.1:{server.url.split(':')[-1]}")
    (folder / "servers.conf").write_text(upstream)
    configuration = folder / "nginx.conf"
    configuration.write_text(text)
    return configuration


def _wait_until_it_answers(running: Nginx, process: subprocess.Popen[bytes], output: Path) -> None:
    for _ in range(100):
        if process.poll() is not None:
            raise RuntimeError(f"nginx stopped at its start:\n{output.read_text()}")
        try:
            urllib.request.urlopen(f"{running.plain}/proxy-health", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"nginx did not answer within 10 s:\n{output.read_text()}")
