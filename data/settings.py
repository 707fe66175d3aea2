"""Limits and settings, declared in one table with their checks, messages and documentation.

What an operator would change is an environment variable, so that one server needs no configuration file and a
container none but its environment. The other limits are fixed; only tests and the process that reads uploads are
started with other ones, by `LIMITS`.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from analysis.values.estimate import thousands
from data.errors import BadSetting

_LOCAL = Path(__file__).resolve().parent / "local"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*", re.IGNORECASE)
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?")
_PREFIX = "RATERSCOPE_"

LIMITS = "RATERSCOPE_LIMITS"
"""Variable for tests and for the process that reads uploads: any limits by name, as JSON. It sets nothing else."""

_SCALED_LIMITS = ("upload_minutes", "unpacked_size", "reading_minutes", "reading_disk")
"""Fixed limits that grow in proportion where an operator raises the upload size above its default."""


def _parse_text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _parse_folder(value: str) -> Path:
    return Path(_parse_text(value)).expanduser().absolute()


def _parse_count(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError("must be 1 or more")
    return number


def _parse_hours(value: str) -> float:
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError("must be more than 0")
    return number


def _parse_days(value: str) -> float | None:
    return None if value.strip().lower() == "never" else _parse_hours(value)


def _parse_switch(value: str) -> bool:
    return {"yes": True, "no": False}[value.strip().lower()]


def _parse_passphrase(value: str) -> str:
    if len(value) < 16:
        raise ValueError("must have 16 characters or more")
    return value


def _parse_frames(value: str) -> str:
    if value not in ("none", "self") and not all(
        _ORIGIN.fullmatch(origin) for origin in value.split() or [""]
    ):
        raise ValueError("must be none, self or origins")
    return value


def _parse_address(value: str) -> str:
    address = value.strip().lower()
    if address and not _ORIGIN.fullmatch(address):
        raise ValueError("must be an origin")
    return address


def _parse_size(value: str) -> int:
    number = _SIZE.fullmatch(value)
    if number is None:
        raise ValueError("must be a number with B, KB, MB, GB or TB")
    unit = number[2].upper()
    size = int(float(number[1]) * _UNITS[unit if unit in _UNITS else unit + "B"])
    if size < 1:
        raise ValueError("must be 1 byte or more")
    return size


_FORMS: dict[Callable[[str], Any], str] = {
    _parse_text: "a text",
    _parse_folder: "a folder",
    _parse_count: "a whole number from 1",
    _parse_hours: "a number of hours above 0",
    _parse_size: "a size, such as 500 MB",
    _parse_days: "a number of days above 0, or never",
    _parse_switch: "yes or no",
    _parse_passphrase: "a passphrase of 16 characters or more",
    _parse_address: "an address such as https://ratings.example.org, without a path",
    _parse_frames: "none, self, or origins such as https://wiki.example.org, parted by spaces",
}


def _setting(
    variable: str, parse: Callable[[str], Any], help_text: str, secret: bool = False
) -> dict[str, Any]:
    return {"variable": variable, "parse": parse, "help": help_text, "secret": secret}


def _limit(parse: Callable[[str], Any], help_text: str) -> dict[str, Any]:
    """Return the metadata of a limit without a variable."""
    return _setting("", parse, help_text)


@dataclass(frozen=True)
class Settings:
    """All settings of one server, with their defaults."""

    database: str = field(
        default=str(_LOCAL / "raterscope.duckdb"),
        metadata=_setting(
            "RATERSCOPE_DATABASE",
            _parse_text,
            "Where data sets are kept. A file: its folder is created, and one process at a time can open it. "
            "`ducklake:postgres:host=… dbname=…`: a lake for many servers.",
            secret=True,
        ),
        repr=False,
    )
    data_path: str = field(
        default=str(_LOCAL / "lake"),
        metadata=_setting(
            "RATERSCOPE_DATA_PATH",
            _parse_text,
            "Where a lake keeps its Parquet files: a folder that all servers share, or `s3://bucket/path/`.",
        ),
    )
    s3_endpoint: str = field(
        default="",
        metadata=_setting(
            "RATERSCOPE_S3_ENDPOINT",
            str.strip,
            "The address of the S3 store, with http:// or https://; empty for Amazon's.",
        ),
    )
    s3_region: str = field(
        default="us-east-1", metadata=_setting("RATERSCOPE_S3_REGION", _parse_text, "The S3 store's region.")
    )
    s3_key: str = field(
        default="",
        metadata=_setting("RATERSCOPE_S3_KEY", str.strip, "The S3 store's access key.", secret=True),
        repr=False,
    )
    s3_secret: str = field(
        default="",
        metadata=_setting("RATERSCOPE_S3_SECRET", str.strip, "The S3 store's secret key.", secret=True),
        repr=False,
    )
    spool: Path = field(
        default=_LOCAL / "spool",
        metadata=_setting(
            "RATERSCOPE_SPOOL",
            _parse_folder,
            "Where uploads wait until they are saved, and where imports work. Best on the database's disk.",
        ),
    )
    spool_hours: float = field(
        default=24.0,
        metadata=_limit(_parse_hours, "How many hours an upload waits before it is deleted unsaved."),
    )
    spool_size: int = field(
        default=20 * 10**9,
        metadata=_setting(
            "RATERSCOPE_SPOOL_SIZE",
            _parse_size,
            "The most that waiting and unpacked files take in the spool; the oldest unsaved uploads are deleted first.",
        ),
    )
    readers: int = field(
        default=2,
        metadata=_limit(
            _parse_count,
            "The most uploads that are read at the same time, each in a separate process; others wait.",
        ),
    )
    reading_minutes: float = field(
        default=10.0, metadata=_limit(_parse_hours, "How many minutes one look at an upload may take.")
    )
    reading_memory: int = field(
        default=2 * 10**9,
        metadata=_setting(
            "RATERSCOPE_READING_MEMORY",
            _parse_size,
            "The memory that the process reading one upload may take.",
        ),
    )
    reading_disk: int = field(
        default=10 * 10**9,
        metadata=_limit(_parse_size, "The room in the spool that reading one upload may take."),
    )
    upload_size: int = field(
        default=500 * 10**6,
        metadata=_setting(
            "RATERSCOPE_UPLOAD_SIZE",
            _parse_size,
            "The largest file that may be uploaded. Above the default the time to upload and read it, and what it may "
            "unpack to, grow in proportion.",
        ),
    )
    upload_minutes: float = field(
        default=15.0, metadata=_limit(_parse_hours, "How many minutes one upload may take to arrive.")
    )
    uploads_at_once: int = field(
        default=8,
        metadata=_limit(
            _parse_count, "The most uploads that may arrive at the same time; more wait half a minute."
        ),
    )
    uploads_per_hour: int = field(
        default=120, metadata=_limit(_parse_count, "The most files that one visit may upload within an hour.")
    )
    unpacked_size: int = field(
        default=4 * 10**9,
        metadata=_limit(_parse_size, "The largest text that a compressed or recoded file may become."),
    )
    rows: int = field(
        default=20_000_000,
        metadata=_setting(
            "RATERSCOPE_ROWS",
            _parse_count,
            "The most rows that one data set may have, those set aside included.",
        ),
    )
    columns: int = field(
        default=2000, metadata=_limit(_parse_count, "The most columns that a file may have.")
    )
    measures: int = field(
        default=100,
        metadata=_limit(
            _parse_count,
            "The most measures that one data set may have; for choices designs, for relevance surrogates.",
        ),
    )
    groups: int = field(
        default=50, metadata=_limit(_parse_count, "The most groups of raters that one data set may have.")
    )
    datasets: int = field(
        default=100,
        metadata=_setting(
            "RATERSCOPE_DATASETS", _parse_count, "The most data sets that one workspace may hold."
        ),
    )
    views: int = field(
        default=200, metadata=_limit(_parse_count, "The most views that may be kept of one data set.")
    )
    note: int = field(
        default=2000,
        metadata=_limit(_parse_count, "The most characters that the note of a kept view may have."),
    )
    unused_days: float | None = field(
        default=None,
        metadata=_setting(
            "RATERSCOPE_UNUSED_DAYS",
            _parse_days,
            "Days after which a data set of a browser without log-in is deleted if nobody opened it; or never.",
        ),
    )
    memory: int = field(
        default=1500 * 10**6,
        metadata=_setting(
            "RATERSCOPE_MEMORY", _parse_size, "The memory the database may use before it works on disk."
        ),
    )
    threads: int = field(
        default=os.cpu_count() or 1,
        metadata=_setting(
            "RATERSCOPE_THREADS",
            _parse_count,
            "The threads that the database may use, and how many long computations run at the same time; others wait.",
        ),
    )
    https: bool = field(
        default=False,
        metadata=_setting(
            "RATERSCOPE_HTTPS",
            _parse_switch,
            "yes where visitors come by https only: the cookie and the browser then refuse anything else.",
        ),
    )
    address: str = field(
        default="",
        metadata=_setting(
            "RATERSCOPE_ADDRESS",
            _parse_address,
            "The address in people's browsers, such as https://ratings.example.org; without it, whatever host they "
            "ask for.",
        ),
    )
    pages: int = field(
        default=1000,
        metadata=_setting(
            "RATERSCOPE_PAGES", _parse_count, "The most pages that may be open in browsers at the same time."
        ),
    )
    frames: str = field(
        default="none",
        metadata=_setting(
            "RATERSCOPE_FRAMES",
            _parse_frames,
            "Who may show the pages inside a frame: none, self, or origins separated by spaces.",
        ),
    )
    operator: str = field(
        default="",
        metadata=_setting(
            "RATERSCOPE_OPERATOR",
            _parse_passphrase,
            "The passphrase that opens the operator's page; without it there is no such page.",
            secret=True,
        ),
        repr=False,
    )


@cache
def declared_settings() -> tuple[Field[Any], ...]:
    """Return the settings that have an environment variable."""
    return tuple(setting for setting in fields(Settings) if setting.metadata["variable"])


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of an environment; a variable that is not set leaves the default."""
    values: dict[str, Any] = {}
    for setting in declared_settings():
        variable = setting.metadata["variable"]
        if variable not in environment:
            continue
        parse = setting.metadata["parse"]
        try:
            values[setting.name] = parse(environment[variable])
        except (ValueError, KeyError) as error:
            shown_value = (
                "a value that is not shown" if setting.metadata["secret"] else repr(environment[variable])
            )
            raise BadSetting(
                f"the environment variable {variable} must be {_FORMS[parse]}, got {shown_value}; change it, or unset "
                f"it for the default ({shown(setting.name, setting.default)})"
            ) from error
    return Settings(**(_scale_limits(values) | values | _parse_limits(environment.get(LIMITS, "{}"))))


def _scale_limits(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits scaled with a larger upload size, so that files of that size can be read."""
    factor = values.get("upload_size", 0) / Settings.upload_size
    if factor <= 1:
        return {}
    defaults = {name: getattr(Settings, name) for name in _SCALED_LIMITS}
    return {name: type(default)(factor * default) for name, default in defaults.items()}


def _parse_limits(text: str) -> dict[str, Any]:
    parsers = {
        setting.name: setting.metadata["parse"]
        for setting in fields(Settings)
        if setting.metadata["parse"] in (_parse_count, _parse_size, _parse_hours)
    }
    try:
        return {name: parsers[name](str(value)) for name, value in json.loads(text).items()}
    except (ValueError, KeyError, AttributeError) as error:
        raise BadSetting(
            f"the environment variable {LIMITS} must be a JSON object of limits, got {text!r}; it is for tests only: "
            f"unset it (limits: {', '.join(parsers)})"
        ) from error


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the variables with our prefix that are not settings, such as those of an older version.

    >>> unknown_variables({"RATERSCOPE_ROWS": "5", "RATERSCOPE_COLUMNS": "5", "HOME": "/"})
    ['RATERSCOPE_COLUMNS']
    """
    known = {LIMITS} | {setting.metadata["variable"] for setting in declared_settings()}
    return sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)


def variable_of(name: str) -> str:
    """Return the environment variable of a setting for messages; a fixed limit has none.

    >>> variable_of("rows")
    'RATERSCOPE_ROWS'
    """
    variables: dict[str, str] = {
        setting.name: setting.metadata["variable"] for setting in declared_settings()
    }
    return variables[name]


def shown(name: str, value: object) -> str:
    """Format the value of a setting.

    >>> shown("upload_size", 500_000_000), shown("rows", 20_000_000), shown("spool_hours", 24.0)
    ('500 MB', '20,000,000', '24')
    """
    parse = {setting.name: setting.metadata["parse"] for setting in fields(Settings)}[name]
    if parse is _parse_size and isinstance(value, int):
        return _format_size(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{thousands(value)}"
    if isinstance(value, float):
        return f"{value:g}"
    if value is None:
        return "never"
    return str(value) or "none"


def as_markdown() -> str:
    """Return the table of settings as Markdown for docs/hosting.md, with folders relative to the checkout."""
    lines = ["| variable | default | what it sets |", "|---|---|---|"]
    for setting in declared_settings():
        default = shown(setting.name, setting.default).replace(str(_LOCAL.parent.parent) + os.sep, "")
        if setting.name == "threads":
            default = "all processors"
        lines.append(f"| `{setting.metadata['variable']}` | {default} | {setting.metadata['help']} |")
    return "\n".join(lines) + "\n"


def _format_size(size: int) -> str:
    for unit in ("TB", "GB", "MB", "KB"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.3g} {unit}"
    return f"{size} B"
