"""Settings: one declaration, from which values, messages and the table in docs/hosting.md come."""

import re
import tomllib
from pathlib import Path

import pytest

from data.errors import BadSetting, DataError
from data.settings import (
    LIMITS,
    Settings,
    as_markdown,
    declared_settings,
    from_environment,
    shown,
    variable_of,
)

ROOT = Path(__file__).parents[2]
PRODUCT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["packages"]


def test_nothing_set_gives_the_defaults() -> None:
    assert from_environment({}) == Settings()


def test_the_default_database_lies_in_the_checkout_and_is_ignored_by_git() -> None:
    default = Path(Settings().database)
    root = Path(__file__).parents[2]
    assert default == root / "data" / "local" / "raterscope.duckdb"
    assert "data/local/" in (root / ".gitignore").read_text().splitlines()


def test_every_setting_is_read_from_its_variable() -> None:
    environment = {
        "RATERSCOPE_DATABASE": "elsewhere.duckdb",
        "RATERSCOPE_SPOOL": "/var/spool/ratings",
        "RATERSCOPE_SPOOL_SIZE": "5 GB",
        "RATERSCOPE_READING_MEMORY": "1 GB",
        "RATERSCOPE_UPLOAD_SIZE": "250 mb",
        "RATERSCOPE_ROWS": "10",
        "RATERSCOPE_DATASETS": "3",
        "RATERSCOPE_MEMORY": "800MB",
        "RATERSCOPE_THREADS": "1",
        "RATERSCOPE_DATA_PATH": "s3://bucket/lake/",
        "RATERSCOPE_S3_ENDPOINT": "http://localhost:9000",
        "RATERSCOPE_S3_REGION": "eu-central-1",
        "RATERSCOPE_S3_KEY": "key",
        "RATERSCOPE_S3_SECRET": "secret",
        "RATERSCOPE_UNUSED_DAYS": "90",
        "RATERSCOPE_HTTPS": "Yes",
        "RATERSCOPE_ADDRESS": "https://Ratings.example.org:8443",
        "RATERSCOPE_PAGES": "50",
        "RATERSCOPE_FRAMES": "https://wiki.example.org",
        "RATERSCOPE_OPERATOR": "correct horse battery",
    }
    assert set(environment) == {variable_of(setting.name) for setting in declared_settings()}
    assert from_environment(environment) == Settings(
        database="elsewhere.duckdb",
        spool=Path("/var/spool/ratings"),
        spool_size=5_000_000_000,
        reading_memory=1_000_000_000,
        upload_size=250_000_000,
        rows=10,
        datasets=3,
        memory=800_000_000,
        threads=1,
        data_path="s3://bucket/lake/",
        s3_endpoint="http://localhost:9000",
        s3_region="eu-central-1",
        s3_key="key",
        s3_secret="secret",
        unused_days=90.0,
        https=True,
        address="https://ratings.example.org:8443",
        pages=50,
        frames="https://wiki.example.org",
        operator="correct horse battery",
    )


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("RATERSCOPE_ROWS", "many", "must be a whole number from 1, got 'many'"),
        ("RATERSCOPE_ROWS", "0", "must be a whole number from 1, got '0'"),
        ("RATERSCOPE_UPLOAD_SIZE", "5 parsecs", "must be a size, such as 500 MB, got '5 parsecs'"),
        ("RATERSCOPE_MEMORY", "0", "must be a size"),
        ("RATERSCOPE_UNUSED_DAYS", "nan", "must be a number of days above 0, or never, got 'nan'"),
        ("RATERSCOPE_SPOOL", " ", "must be a folder, got ' '"),
        ("RATERSCOPE_DATABASE", "", "must be a text, got a value that is not shown"),
        ("RATERSCOPE_UNUSED_DAYS", "-1", "must be a number of days above 0, or never, got '-1'"),
        ("RATERSCOPE_HTTPS", "true", "must be yes or no, got 'true'"),
        (
            "RATERSCOPE_ADDRESS",
            "ratings.example.org",
            "must be an address such as https://ratings.example.org",
        ),
        ("RATERSCOPE_ADDRESS", "https://ratings.example.org/path", "without a path"),
        ("RATERSCOPE_FRAMES", "*", "must be none, self, or origins"),
        ("RATERSCOPE_FRAMES", "none; script-src *", "must be none, self, or origins"),
        (
            "RATERSCOPE_OPERATOR",
            "short",
            "must be a passphrase of 16 characters or more, got a value that is not",
        ),
    ],
)
def test_a_senseless_value_is_refused_with_the_variable_named(variable: str, value: str, told: str) -> None:
    with pytest.raises(BadSetting) as caught:
        from_environment({variable: value})
    assert variable in str(caught.value)
    assert told in str(caught.value)
    assert isinstance(caught.value, DataError)


def test_a_larger_upload_may_take_longer_and_unpack_to_more() -> None:
    default, raised = Settings(), from_environment({"RATERSCOPE_UPLOAD_SIZE": "1 GB"})
    for name in ("upload_minutes", "unpacked_size", "reading_minutes", "reading_disk"):
        assert getattr(raised, name) == 2 * getattr(default, name)
    assert from_environment({"RATERSCOPE_UPLOAD_SIZE": "1 MB"}).unpacked_size == default.unpacked_size


def test_tests_set_any_limit_and_nothing_else() -> None:
    limits = '{"unpacked_size": "20 MB", "upload_minutes": 0.5, "rows": 7}'
    given = from_environment({LIMITS: limits, "RATERSCOPE_ROWS": "10", "RATERSCOPE_UPLOAD_SIZE": "5 GB"})
    assert (given.unpacked_size, given.upload_minutes, given.rows) == (20_000_000, 0.5, 7)


@pytest.mark.parametrize(
    "text",
    ["", "7", "[]", '{"rows": 0}', '{"rows": true}', '{"speed": 7}', '{"operator": "correct horse battery"}'],
)
def test_limits_of_tests_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadSetting, match=LIMITS):
        from_environment({LIMITS: text})


def test_code_names_only_variables_that_exist() -> None:
    known = {LIMITS} | {setting.metadata["variable"] for setting in declared_settings()}
    for folder in PRODUCT:
        for path in (ROOT / folder).rglob("*.py"):
            code = path.read_text(encoding="utf-8")
            names = set(re.findall(r"RATERSCOPE_[A-Z0-9_]*[A-Z0-9]", code))
            if path != ROOT / "data" / "settings.py":
                names |= {variable_of(name) for name in re.findall(r"""variable_of\(["'](\w+)["']\)""", code)}
                assert names <= known, path
    with pytest.raises(KeyError):
        variable_of("columns")


def test_secrets_are_never_shown() -> None:
    settings = Settings(
        operator="correct horse battery", s3_secret="s3cr3t", database="ducklake:postgres:password=x"
    )
    assert not any(secret in repr(settings) for secret in ("horse", "s3cr3t", "password"))


def test_never_is_a_number_of_days() -> None:
    assert from_environment({"RATERSCOPE_UNUSED_DAYS": "never"}).unused_days is None
    assert shown("unused_days", None) == "never"


def test_sizes_are_shown_as_people_write_them() -> None:
    assert shown("memory", 1_500_000_000) == "1.5 GB"
    assert shown("upload_size", 999) == "999 B"


def test_the_table_names_every_variable_once_and_no_path_of_this_machine() -> None:
    table = as_markdown()
    for setting in declared_settings():
        assert table.count(f"`{setting.metadata['variable']}`") == 1
        assert setting.metadata["help"] in table
    assert str(Path(__file__).parents[2]) not in table


def test_the_server_refuses_the_same_uploads_as_the_store() -> None:
    config = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())
    assert config["server"]["maxUploadSize"] * 10**6 == Settings().upload_size
