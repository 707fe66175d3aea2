"""The container, the compose files, the proxy and the audit, as far as they can be held without a container engine:
what the Dockerfile copies is enough to serve, and what the files say of each other is true."""

import importlib.util
import json
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import fields
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from data.settings import Settings
from features.cache import CACHE_BYTES
from server import run_queue

ROOT = Path(__file__).resolve().parents[1]
DECLARED = {setting.metadata["variable"] for setting in fields(Settings)}
SECRET = {setting.metadata["variable"] for setting in fields(Settings) if setting.metadata["secret"]}
OF_THE_TESTS = {
    "RATERSCOPE_REQUIRE_BROWSER",
    "RATERSCOPE_REQUIRE_POSTGRES",
    "RATERSCOPE_REQUIRE_NGINX",
    "RATERSCOPE_AUDIT_REQUIRED",
}
PROGRAM = 500 * 10**6
MEMORY_OF_A_VISIT = 3 * 10**6
FILES_OF_A_PAGE, FILES_OF_A_CLOSED_PAGE = 4, 3
"""The connection, and a loop of asyncio that Streamlit keeps for a visit until it is forgotten."""
MOST_PROCESSORS = 64
"""Processors of a machine whose threads the limits have to hold: the database starts a thread for each."""
LAKE_CONNECTIONS = 6
THREADS_OF_THE_SERVER = 80
COMPOSE = ["compose.yaml", "compose.many.yaml"]
WRITTEN = [
    *COMPOSE,
    "README.md",
    "Dockerfile",
    "deploy/example.env",
    "deploy/nginx.conf",
    "deploy/Caddyfile",
    "deploy/certificates/README.md",
    "deploy/log-in/example.toml",
    ".ci/run",
    ".ci/audit",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def instructions(word: str) -> list[str]:
    """Return the arguments of this Dockerfile instruction, one entry each, continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^#.*\n", "", text("Dockerfile")))
    return re.findall(rf"(?m)^\s*{word} (.*)$", joined)


def environment_of_the_image() -> dict[str, str]:
    return dict(pair.split("=", 1) for line in instructions("ENV") for pair in shlex.split(line))


def command() -> list[str]:
    [last] = instructions("CMD")[-1:]
    given: list[str] = json.loads(last)
    return given


def after(option: str, arguments: list[str]) -> str:
    return arguments[arguments.index(option) + 1]


def composed(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(text(name))
    return parsed


# The image


def copied(to: Path) -> None:
    for line in instructions("COPY"):
        *sources, target = line.split()
        for source in sources:
            into = to / target / Path(source).name if target.endswith("/") else to / target
            into.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "local")
                shutil.copytree(ROOT / source, into, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, into)
    for leads_to, link in links():
        (to / link).symlink_to(leads_to)


def links() -> list[list[str]]:
    return [line.split()[2:] for line in instructions("RUN") if line.startswith("ln -s ")]


def test_what_the_image_copies_is_there_and_let_through() -> None:
    sources = [source for line in instructions("COPY") for source in line.split()[:-1]]
    let_through = re.findall(r"(?m)^!(\S+)$", text(".dockerignore"))
    assert text(".dockerignore").splitlines()[1] == "*", "all that is not named stays outside"
    assert sorted(sources) == sorted(let_through)
    for source in sources:
        assert (ROOT / source).exists(), source


def test_the_image_has_every_package_that_the_app_imports() -> None:
    ours = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"pages", "analysis", "data"}
    imported = {
        name
        for path in [
            ROOT / "app.py",
            *(p for name in ours - {"tests", "benchmarks"} for p in (ROOT / name).rglob("*.py")),
        ]
        for name in re.findall(r"(?m)^ *(?:from|import) (\w+)", path.read_text(encoding="utf-8"))
    }
    needed = imported & ours
    assert "server" in needed
    assert needed <= {source for line in instructions("COPY") for source in line.split()[:-1]}


def test_nobody_in_the_image_is_root() -> None:
    [user] = instructions("USER")
    number = user.split(":")[0]
    assert number.isdigit(), "a number, so that a cluster can tell that it is not root"
    assert int(number) >= 1000
    assert f"--uid {number} " in text("Dockerfile")


def test_the_images_python_is_one_that_the_project_allows() -> None:
    [base] = instructions("FROM")
    at_least = tomllib.loads(text("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    version = re.fullmatch(r"python:(\d+\.\d+)-slim-\w+", base)
    assert version
    assert tuple(map(int, version[1].split("."))) >= tuple(map(int, at_least.split(".")))


def test_ports_and_the_address_of_health_agree_everywhere() -> None:
    [port] = instructions("EXPOSE")
    assert after("--port", command()) == port
    [asked] = re.findall(r"urlopen\('http://127\.0\.0\.1:(\d+)(/\S+?)'", instructions("HEALTHCHECK")[0])
    assert asked[0] == port
    assert asked[1] == "/_stcore/health"
    for name in ("one-server.conf", "two-servers.conf", "Caddyfile"):
        assert set(re.findall(r"raterscope\S*:(\d+)", text(f"deploy/{name}"))) == {port}
    assert re.findall(r"health_uri (\S+)", text("deploy/Caddyfile")) == [asked[1]]


def test_the_server_writes_no_addresses_to_its_log_and_ends_in_time() -> None:
    assert "--no-access-log" in command()
    seconds = int(after("--timeout-graceful-shutdown", command()))
    for name in COMPOSE:
        for service in composed(name)["services"].values():
            if "build" in service:
                assert int(service["stop_grace_period"].removesuffix("s")) > seconds


def stranger() -> str | None:
    """A user without rights, where root runs the tests and that user may run this Python; else whoever runs them."""
    if os.getuid() != 0:
        return None
    try:
        pwd.getpwnam("nobody")
        subprocess.run(
            [sys.executable, "-c", "import streamlit"], user="nobody", check=True, capture_output=True
        )
    except (KeyError, OSError, subprocess.CalledProcessError):
        return None
    return "nobody"


def every_file(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.lstat().st_mtime_ns for path in folder.rglob("*")}


@pytest.fixture
def image(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The image's folder, served by its command from nothing but what it copies, and the server's address."""
    app, kept = tmp_path / "app", tmp_path / "data"
    copied(app)
    kept.mkdir()
    user = stranger()
    if user is not None:
        shutil.chown(kept, user)
        for folder in (tmp_path, *tmp_path.parents[:3]):
            folder.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = {
        name: value.replace("/data", str(kept), 1) for name, value in environment_of_the_image().items()
    }
    started = [sys.executable, "-m", *command()]
    started[started.index("--port") + 1] = port
    started[started.index("--host") + 1] = "127.0.0.1"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            started,
            cwd=app,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            user=user,
        )
    try:
        yield app, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def answer(url: str, log: Path) -> tuple[int, str]:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=10) as opened:
                return opened.status, opened.read().decode()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no answer within 30 s:\n{log.read_text()}")


@pytest.mark.journey
def test_what_the_image_copies_serves_and_writes_nothing_beside_its_data(image: tuple[Path, str]) -> None:
    app, url = image
    before = every_file(app)
    log = app.parent / "log"
    status, _ = answer(f"{url}/_stcore/health", log)
    assert status == 200
    status, page = answer(f"{url}/", log)
    assert status == 200
    assert '<div id="root">' in page
    assert every_file(app) == before
    assert (app.parent / "data" / "raterscope.duckdb").is_file(), (
        "health asked the store, which lies in /data"
    )


# The compose files


@pytest.mark.parametrize("name", WRITTEN)
def test_every_documented_variable_is_a_setting(name: str) -> None:
    told = set(re.findall(r"RATERSCOPE_[A-Z0-9_]*[A-Z0-9]", text(name)))
    assert told - OF_THE_TESTS <= DECLARED


@pytest.mark.parametrize("name", COMPOSE)
def test_every_service_is_hardened_and_comes_back(name: str) -> None:
    for title, service in composed(name)["services"].items():
        assert service["read_only"] is True, title
        assert service["cap_drop"] == ["ALL"], title
        assert service["security_opt"] == ["no-new-privileges:true"], title
        assert service["restart"].split(":")[0] in ("unless-stopped", "on-failure"), title
        assert "/tmp" in service["tmpfs"], title
        assert "build" in service or re.search(r":\d+(\.\d+)?(-\w+)?$", service["image"]), (
            f"{title}: no version"
        )
        runs_on = service["restart"] == "unless-stopped"
        assert not runs_on or "build" in service or "healthcheck" in service, title


def bytes_of(limit: str) -> int:
    """Return the bytes of a limit such as `12g` or `${MEMORY_LIMIT:-12g}`, in Docker's powers of two."""
    found = re.fullmatch(r"(?:\$\{\w+:-)?(\d+)([mg])\}?", limit)
    assert found, limit
    return int(found[1]) * {"m": 2**20, "g": 2**30}[found[2]]


@pytest.mark.parametrize("name", COMPOSE)
def test_every_container_is_bounded(name: str) -> None:
    for title, service in composed(name)["services"].items():
        assert bytes_of(service["mem_limit"]) >= 2**28, title
        assert 0 < service["pids_limit"] <= 2048, title


@pytest.mark.parametrize("name", COMPOSE)
def test_a_servers_limits_hold_what_its_settings_allow(name: str) -> None:
    defaults = Settings()
    memory = (
        PROGRAM
        + defaults.memory
        + defaults.readers * defaults.reading_memory
        + CACHE_BYTES
        + defaults.pages * MEMORY_OF_A_VISIT
    )
    threads = (
        defaults.pages
        + LAKE_CONNECTIONS * MOST_PROCESSORS
        + defaults.readers * (2 * MOST_PROCESSORS + 20)
        + THREADS_OF_THE_SERVER
    )
    files = defaults.pages * (FILES_OF_A_PAGE + FILES_OF_A_CLOSED_PAGE) + run_queue.RESERVED_FILES
    servers = [service for service in composed(name)["services"].values() if "build" in service]
    for server in servers:
        assert bytes_of(server["mem_limit"]) >= memory * 1.2, "a fifth on top for computations"
        assert server["pids_limit"] >= threads
        assert server["ulimits"]["nofile"] >= files
    proxy = composed(name)["services"]["proxy"]
    assert proxy["ulimits"]["nofile"] >= 2 * defaults.pages * len(servers) + run_queue.RESERVED_FILES, (
        "there and back"
    )


def test_the_limits_for_systemd_are_those_of_the_container() -> None:
    server = composed("compose.yaml")["services"]["raterscope"]
    [[memory, tasks, files]] = re.findall(
        r"`MemoryMax=(\d+)G`, `TasksMax=(\d+)` and `LimitNOFILE=(\d+)`", text("docs/hosting.md")
    )
    assert int(memory) * 2**30 == bytes_of(server["mem_limit"])
    assert (int(tasks), int(files)) == (server["pids_limit"], server["ulimits"]["nofile"])


@pytest.mark.parametrize("name", COMPOSE)
def test_only_the_proxy_is_reached_from_outside(name: str) -> None:
    whole = composed(name)
    assert [title for title, service in whole["services"].items() if service.get("ports")] == ["proxy"]
    reached = set(whole["services"]["proxy"]["networks"])
    for title, service in whole["services"].items():
        if "build" not in service and title != "proxy":
            assert not reached & set(service["networks"]), title
            assert all(whole["networks"][network].get("internal") for network in service["networks"]), title


@pytest.mark.parametrize("name", COMPOSE)
def test_forwarded_headers_count_only_from_the_proxy(name: str) -> None:
    services = composed(name)["services"]
    [proxy] = [network["ipv4_address"] for network in services["proxy"]["networks"].values()]
    trusted = [s["environment"]["FORWARDED_ALLOW_IPS"] for s in services.values() if "build" in s]
    assert set(trusted) == {proxy}


@pytest.mark.parametrize("name", COMPOSE)
def test_no_secret_has_a_default(name: str) -> None:
    example = text("deploy/example.env")
    asked = set(re.findall(r"\$\{(\w+):\?", text(name)))
    assert asked
    for variable in asked:
        assert re.search(rf"(?m)^{variable}=$", example), f"{variable} has a value, or is not told of"
    defaults = set(re.findall(r"\$\{(\w+):-", text(name)))
    assert defaults == {"HTTP_PORT", "HTTPS_PORT", "MEMORY_LIMIT"}
    for service in composed(name)["services"].values():
        for variable, value in service["environment"].items() if "environment" in service else ():
            secret = variable in SECRET or re.search("PASSWORD|SECRET|KEY", variable)
            assert not secret or value is None or "${" in value, variable


def test_no_setting_without_effect_is_documented() -> None:
    """Under uvicorn Streamlit takes only its secret options from the environment; others would have no effect."""
    for name in [*COMPOSE, "Dockerfile", "deploy/example.env"]:
        assert set(re.findall(r"STREAMLIT_\w+", text(name))) <= {"STREAMLIT_SERVER_COOKIE_SECRET"}


def test_all_servers_of_a_lake_are_the_same_but_for_their_spool() -> None:
    services = composed("compose.many.yaml")["services"]
    servers = {title: dict(service) for title, service in services.items() if "build" in service}
    spools = [
        volume for server in servers.values() for volume in server.pop("volumes") if volume.endswith(":/data")
    ]
    assert len(servers) == 2
    assert len(set(spools)) == 2
    first, second = servers.values()
    assert first == second
    upstream = re.findall(r"(?m)^server (\S+):\d+", text("deploy/two-servers.conf"))
    assert upstream == list(servers)
    assert re.findall(r"(?m)^server (\S+):\d+", text("deploy/one-server.conf")) == ["raterscope"]


@pytest.mark.parametrize("name", COMPOSE)
def test_files_and_volumes_that_are_mounted_are_there(name: str) -> None:
    whole = composed(name)
    for service in whole["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith("./") else source in whole["volumes"], volume


def test_git_keeps_no_secret() -> None:
    for path in (
        ".env",
        "deploy/certificates/privkey.pem",
        "deploy/log-in/secrets.toml",
        ".streamlit/secrets.toml",
    ):
        assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT).returncode == 0, path


@pytest.mark.parametrize("name", COMPOSE)
def test_the_log_ins_secrets_are_mounted_where_the_image_looks_for_them(name: str) -> None:
    [[leads_to, link]] = links()
    file = Path(os.path.normpath(Path("/app", link).parent / leads_to))
    for service in composed(name)["services"].values():
        if "build" in service:
            assert f"./deploy/log-in:{file.parent}:ro" in service["volumes"]
    assert link == ".streamlit/secrets.toml"


def test_the_log_ins_example_has_the_names_that_streamlit_reads_and_no_secret() -> None:
    [section] = tomllib.loads(text("deploy/log-in/example.toml")).values()
    assert set(section) == {
        "redirect_uri",
        "cookie_secret",
        "client_id",
        "client_secret",
        "server_metadata_url",
    }
    assert section["redirect_uri"].endswith("/oauth2callback")
    assert section["cookie_secret"] == section["client_secret"] == ""


# The proxy


def test_the_proxys_log_holds_no_key_and_nobodys_address() -> None:
    [form] = re.findall(r"log_format raterscope ([^;]*);", text("deploy/nginx.conf"))
    said = set(re.findall(r"\$(\w+)", form))
    assert said == {
        "time_iso8601",
        "request_method",
        "logged_path",
        "status",
        "body_bytes_sent",
        "request_time",
    }
    assert re.search(r"(?m)^error_log \S+ crit;", text("deploy/nginx.conf")), "errors quote whole addresses"


def test_the_proxy_lets_the_largest_upload_through_and_not_much_more() -> None:
    [megabytes] = re.findall(r"client_max_body_size (\d+)m;", text("deploy/nginx.conf"))
    [caddys] = re.findall(r"max_size (\d+)MB", text("deploy/Caddyfile"))
    for size in (int(megabytes) * 2**20, int(caddys) * 10**6):
        assert Settings().upload_size + 10**6 < size < Settings().upload_size * 1.1


# The audit


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    loader = SourceFileLoader("audit", str(ROOT / ".ci" / "audit"))
    spec = importlib.util.spec_from_loader("audit", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module


PACKAGES = {"pyjwt": "1.5.0", "numpy": "2.4.6"}
FOUND = """{"dependencies": [
    {"name": "pyjwt", "version": "1.5.0", "vulns": [{"id": "PYSEC-2017-24", "fix_versions": ["1.5.1"],
     "aliases": ["CVE-2017-11424"], "description": "..."}]},
    {"name": "numpy", "version": "2.4.6", "vulns": []}], "fixes": []}"""
CLEAN = """{"dependencies": [{"name": "pyjwt", "version": "1.5.0", "vulns": []},
    {"name": "numpy", "version": "2.4.6", "vulns": []}], "fixes": []}"""
UNKNOWN = """{"dependencies": [
    {"name": "pyjwt", "skip_reason": "Dependency not found on PyPI and could not be audited: pyjwt (1.5.0)"},
    {"name": "numpy", "version": "2.4.6", "vulns": []}], "fixes": []}"""


def test_a_known_vulnerability_fails_the_audit_and_is_named(audit: ModuleType) -> None:
    told, passed = audit.judged(FOUND, PACKAGES, False)
    assert told == ["pyjwt 1.5.0: PYSEC-2017-24, mended in 1.5.1"]
    assert not passed


def test_an_audit_of_all_packages_without_findings_passes(audit: ModuleType) -> None:
    assert audit.judged(CLEAN, PACKAGES, True) == (["no known vulnerability in 2 packages"], True)


@pytest.mark.parametrize(("report", "count"), [(UNKNOWN, 1), ("", 2), ("{}", 2), ("[]", 2)])
def test_what_cannot_be_looked_up_is_reported_loudly(audit: ModuleType, report: str, count: int) -> None:
    told, passed = audit.judged(report, PACKAGES, False)
    assert told[0].startswith(f"AUDIT INCOMPLETE: {count} of 2 packages could not be looked up")
    assert passed


@pytest.mark.parametrize("report", [UNKNOWN, ""])
def test_where_the_audit_is_required_a_missing_answer_fails(audit: ModuleType, report: str) -> None:
    told, passed = audit.judged(report, PACKAGES, True)
    assert "RATERSCOPE_AUDIT_REQUIRED" in told[-1]
    assert not passed


def test_a_vulnerability_beside_a_missing_answer_still_fails(audit: ModuleType) -> None:
    told, passed = audit.judged(FOUND, PACKAGES | {"scipy": "1.17.1"}, False)
    assert [line.split(":")[0] for line in told] == ["pyjwt 1.5.0", "AUDIT INCOMPLETE"]
    assert not passed


def test_the_audit_covers_what_packages_pull_in(audit: ModuleType) -> None:
    packages = audit.pulled_in(["streamlit==1", "Authlib==1"])
    assert {"streamlit", "authlib", "starlette", "uvicorn", "pandas", "numpy"} <= set(packages)
    assert "pytest" not in packages


def test_the_audit_is_part_of_everything() -> None:
    lines = text(".ci/run").splitlines()
    started = next(at for at, line in enumerate(lines) if line.startswith("python .ci/audit &"))
    assert lines[started + 1] == "audit=$!"
    assert "wait $audit" in lines[started + 2 :], "what it says counts"
    for name in ("requirements.txt", "requirements-hosting.txt", "requirements-optional.txt"):
        assert f'"{name}"' in text(".ci/audit")
        assert (ROOT / name).exists()
