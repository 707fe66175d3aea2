"""S3 store that needs few resources, so that it hardly affects measurements on the same machine.

The kernel sends each range from its file (`sendfile`), over connections that stay open; who asks is not checked. The
store that tests use (`tests.lake_servers.S3`) is Python from end to end and takes a third of the processor that the
server it serves takes. It counts what it was asked, for those who count round trips.
"""

import os
import secrets
import shutil
import socketserver
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from tests.lake_servers import free_port

_STARTING = 30.0


class ObjectStore:
    """The process that holds a bucket in a folder."""

    key = "benchmarks"
    secret = "nobody checks"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        port = free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([sys.executable, "-m", __spec__.name, str(port), str(folder)])
        give_up = time.monotonic() + _STARTING
        while True:
            with suppress(OSError):
                self.count_requests()
                return
            if time.monotonic() > give_up or self.process.poll() is not None:
                raise RuntimeError("the S3 server does not start")
            time.sleep(0.05)

    def new_path(self) -> str:
        return f"s3://raterscope/{secrets.token_hex(6)}/"

    def count_requests(self) -> tuple[int, int]:
        """Return the number of requests answered since the start, and the bytes of objects sent."""
        with urllib.request.urlopen(f"{self.endpoint}/", timeout=10) as answer:
            requests, sent = answer.read().split()
        return int(requests), int(sent)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)


@contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """Run a store within a context, and delete its content at the end."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        store = ObjectStore(Path(place))
        try:
            yield store
        finally:
            store.close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64
    requests = 0
    sent = 0

    def __init__(self, port: int, folder: Path) -> None:
        self.folder = folder
        super().__init__(("127.0.0.1", port), _Connection)

    def file_of(self, path: str) -> Path:
        """Return the file of an object; all are in one folder, since their names contain no slash."""
        return self.folder / quote(unquote(path).lstrip("/"), safe="")


class _Connection(socketserver.StreamRequestHandler):
    """Connection of one client with consecutive requests."""

    server: _Server
    disable_nagle_algorithm = True
    wbufsize = -1

    def handle(self) -> None:
        with suppress(ConnectionError):
            while line := self.rfile.readline():
                method, target, _ = line.decode("latin-1").split(" ", 2)
                headers = {}
                while (line := self.rfile.readline()).strip():
                    name, _, value = line.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                if headers.get("expect"):
                    self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                    self.wfile.flush()
                body = self.rfile.read(int(headers.get("content-length", 0)))
                address = urlsplit(target)
                parameters = dict(parse_qsl(address.query, keep_blank_values=True))
                if address.path != "/":
                    self.server.requests += 1
                if method in ("GET", "HEAD"):
                    self._give(method, address.path, parameters, headers.get("range"))
                else:
                    self._change(method, address.path, parameters, body)
                self.wfile.flush()

    def _give(self, method: str, path: str, parameters: dict[str, str], part: str | None) -> None:
        if path == "/":
            self._say(HTTPStatus.OK, f"{self.server.requests} {self.server.sent}")
        elif "prefix" in parameters or "list-type" in parameters:
            self._say(HTTPStatus.OK, self._listed(path, parameters.get("prefix", "")))
        else:
            try:
                with self.server.file_of(path).open("rb") as file:
                    self._send(method, file.fileno(), part)
            except FileNotFoundError:
                self._say(HTTPStatus.NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>")

    def _send(self, method: str, file: int, part: str | None) -> None:
        file_stat = os.stat(file)
        first, last, status = 0, file_stat.st_size - 1, HTTPStatus.OK
        head = {
            "Last-Modified": formatdate(file_stat.st_mtime, usegmt=True),
            "ETag": f'"{file_stat.st_ino:x}"',
            "Accept-Ranges": "bytes",
        }
        if part:
            start, _, end = part.removeprefix("bytes=").partition("-")
            first, last = (
                (int(start), min(int(end or last), last))
                if start
                else (max(file_stat.st_size - int(end), 0), last)
            )
            status = HTTPStatus.PARTIAL_CONTENT
            head["Content-Range"] = f"bytes {first}-{last}/{file_stat.st_size}"
        length = last - first + 1
        self._begin(status, length, head)
        if method == "GET":
            self.wfile.flush()
            self.server.sent += length
            while length:
                done = os.sendfile(self.connection.fileno(), file, first, length)
                first, length = first + done, length - done

    def _listed(self, path: str, prefix: str) -> str:
        bucket = path.strip("/")
        entries = []
        for file in sorted(self.server.folder.iterdir()):
            name = unquote(file.name).removeprefix(f"{bucket}/")
            if name.startswith(prefix) and not file.name.startswith("."):
                file_stat = file.stat()
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(file_stat.st_mtime))
                entries.append(
                    f"<Contents><Key>{escape(name)}</Key><LastModified>{stamp}</LastModified>"
                    f"<ETag>&quot;{file_stat.st_ino:x}&quot;</ETag><Size>{file_stat.st_size}</Size></Contents>"
                )
        return (
            f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>false</IsTruncated>"
            f"{''.join(entries)}</ListBucketResult>"
        )

    def _change(self, method: str, path: str, parameters: dict[str, str], body: bytes) -> None:
        folder, file = self.server.folder, self.server.file_of(path)
        if method == "DELETE":
            file.unlink(missing_ok=True)
            self._say(HTTPStatus.NO_CONTENT)
        elif "uploads" in parameters:
            upload = secrets.token_hex(8)
            self._say(
                HTTPStatus.OK,
                f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>",
            )
        elif "partNumber" in parameters:
            (folder / f".{parameters['uploadId']}-{int(parameters['partNumber']):06d}").write_bytes(body)
            self._say(HTTPStatus.OK, tag=parameters["partNumber"])
        elif "uploadId" in parameters:
            draft = folder / f".{parameters['uploadId']}"
            with draft.open("wb") as target:
                for piece in sorted(folder.glob(f".{parameters['uploadId']}-*")):
                    with piece.open("rb") as source:
                        shutil.copyfileobj(source, target)
                    piece.unlink()
            draft.rename(file)
            self._say(
                HTTPStatus.OK, "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>"
            )
        elif "delete" in parameters:
            for element in ElementTree.fromstring(body).iter():
                if element.tag.rpartition("}")[2] == "Key":
                    self.server.file_of(f"{path.rstrip('/')}/{element.text}").unlink(missing_ok=True)
            self._say(HTTPStatus.OK, "<DeleteResult></DeleteResult>")
        else:
            draft = folder / f".{secrets.token_hex(8)}"
            draft.write_bytes(body)
            draft.rename(file)
            self._say(HTTPStatus.OK, tag="1")

    def _say(self, status: HTTPStatus, text: str = "", tag: str = "") -> None:
        body = text.encode()
        self._begin(status, len(body), {"ETag": f'"{tag}"'} if tag else {})
        self.wfile.write(body)

    def _begin(self, status: HTTPStatus, length: int, head: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", f"Content-Length: {length}"]
        lines += [f"{name}: {value}" for name, value in head.items()]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())


if __name__ == "__main__":
    _Server(int(sys.argv[1]), Path(sys.argv[2])).serve_forever()
