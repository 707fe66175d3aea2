"""Streamlit's defaults that a public server must not have, as the configuration and the running process see them."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from data.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
ASK = "import app; from streamlit import config; print(config.get_option('server.maxUploadSize'))"
AFTER_STREAMLIT = (
    "from streamlit import config; from streamlit.web import bootstrap; config._main_script_path = 'app.py'; "
    "bootstrap.load_config_options({}); "
)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("server.headless", True),
        ("server.fileWatcherType", "none"),
        ("server.runOnSave", False),
        ("server.enableCORS", True),
        ("server.enableXsrfProtection", True),
        ("server.enableWebsocketCompression", False),
        ("server.enableStaticServing", False),
        ("server.enableAgentApi", False),
        ("browser.gatherUsageStats", False),
        ("browser.serverAddress", "localhost"),
        ("client.showErrorDetails", "none"),
        ("client.showErrorLinks", False),
        ("client.toolbarMode", "viewer"),
        ("client.disableDataExport", True),
        ("client.allowedOrigins", []),
        ("logger.enableRich", False),
        ("runner.magicEnabled", False),
        ("runner.enforceSerializableSessionState", True),
        ("runner.fastReruns", False),
    ],
)
def test_a_default_that_is_too_open_is_changed(option: str, value: object) -> None:
    section, name = option.split(".")
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config[section][name] == value


def test_what_a_browser_may_send_at_once_is_bounded() -> None:
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]
    assert server["maxWidgetStateSize"] <= 5
    assert server["maxMessageSize"] < 200


def run(code: str, folder: Path = ROOT, **environment: str) -> "subprocess.CompletedProcess[str]":
    path = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=path | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.journey
@pytest.mark.parametrize(
    ("before", "environment", "megabytes", "unknown"),
    [
        ("", {}, Settings().upload_size // 10**6, []),
        (
            AFTER_STREAMLIT,
            {
                "RATERSCOPE_UPLOAD_SIZE": "2500 KB",
                "RATERSCOPE_HEAVY": "hidden",
                "RATERSCOPE_READERS": "4",
                "RATERSCOPE_ROWS": "1000",
            },
            3,
            ["RATERSCOPE_HEAVY", "RATERSCOPE_READERS"],
        ),
    ],
    ids=["uvicorn", "streamlit run, set"],
)
def test_uploads_follow_our_setting_and_variables_that_are_no_settings_are_reported_once(
    before: str, environment: dict[str, str], megabytes: int, unknown: list[str]
) -> None:
    ran = run(before + ASK, **environment)
    assert ran.stdout.strip() == str(megabytes)
    told = [line for line in map(json.loads, ran.stderr.splitlines()) if "variables" in line]
    assert [(line["level"], line["variables"]) for line in told] == [("warning", unknown)] * bool(unknown)
    assert "hidden" not in ran.stderr


@pytest.mark.journey
def test_a_bad_setting_stops_the_start_with_a_sentence() -> None:
    ran = run("import app", RATERSCOPE_OPERATOR="hunter2")
    assert ran.returncode == 1
    assert ran.stderr.startswith("Raterscope does not start: the environment variable RATERSCOPE_OPERATOR")
    assert "hunter2" not in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.journey
def test_a_start_without_the_configuration_is_refused_with_a_sentence(tmp_path: Path) -> None:
    ran = run("import app", tmp_path)
    assert ran.returncode == 1
    assert "config.toml was not read" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("file", "first"), [("app.py", "import streamlit as st"), ("report/__main__.py", "from analysis.")]
)
def test_matrix_products_take_one_thread_each_unless_told_otherwise(file: str, first: str) -> None:
    before, after = (ROOT / file).read_text(encoding="utf-8").split(first, 1)
    assert 'os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")' in before, (
        "numpy reads it when it is imported"
    )
    assert "OPENBLAS" not in after
