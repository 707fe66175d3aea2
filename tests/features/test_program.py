"""The head of a program: the view's data set, whatever its names hold, as literals that Python reads back."""

import ast
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from data.dataset import Dataset, Filter
from features import program
from features.agreement.results import AgreementSpec
from features.agreement.section import agreement_page
from features.comparison.results import GroupsSpec, group_stages
from features.overview.section import overview_program
from features.replacement.section import replacement_section
from features.replacement.specs import ReplacementSpec
from features.study import Study
from tests.features.studies import study_of

HOSTILE = "'); import os; os.system('rm -rf /') #\n\"\"\"\\"
SINCE = datetime(2026, 1, 2, 3, 4)
SAVED = Dataset(
    "0" * 32, "ratings", HOSTILE, (), {"item_id": HOSTILE}, "a" * 64, 1, 0, datetime(2026, 1, 1, tzinfo=UTC),
    "w", None, datetime(2026, 1, 1, tzinfo=UTC),
)  # fmt: skip


def study(dataset: Dataset, **given: object) -> Study:
    return replace(study_of("focus"), key="sample-summaries", whole=dataset, dataset=dataset, **given)  # type: ignore[arg-type]


def called(code: str, name: str) -> list[object]:
    """The literal arguments of every call of a function or method of that name."""
    return [
        ast.literal_eval(call.args[0])
        for call in ast.walk(ast.parse(code))
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == name
    ]


def test_what_a_view_leaves_out_and_keeps_is_in_its_program() -> None:
    kept = (Filter("system", (HOSTILE, "B")), Filter("rated_at", since=SINCE))
    code = overview_program(study(SAVED.keeping(kept).leaving_out((HOSTILE, "r1"))))
    assert called(code, "leaving_out") == [tuple(sorted((HOSTILE, "r1")))]
    (keeping,) = [
        call.args[0]
        for call in ast.walk(ast.parse(code))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "dataset.keeping"
    ]
    read = eval(ast.unparse(keeping), {"Filter": Filter, "datetime": __import__("datetime")})
    assert read == kept
    assert "import datetime" in code.splitlines()


def test_a_name_never_becomes_a_statement() -> None:
    plain, hostile = (
        program.study_program(
            study(SAVED, candidate=candidate, reference="lab"), None, group_stages, GroupsSpec()
        )
        for candidate in ("crowd", HOSTILE)
    )
    assert "found = last_stage(group_stages(study, spec))" in plain
    assert [type(one) for one in ast.parse(hostile).body] == [type(one) for one in ast.parse(plain).body]
    assert "os" not in {node.id for node in ast.walk(ast.parse(hostile)) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(
    ("report", "opens"),
    [
        ({"file": HOSTILE}, HOSTILE),
        ({"file": "", "files": ["a.csv", "b.csv"]}, ["a.csv", "b.csv"]),
        (None, HOSTILE),
    ],
    ids=["one file", "two files", "no report"],
)
def test_ones_own_file_is_opened_by_its_name_and_checked_by_its_hash(
    monkeypatch: pytest.MonkeyPatch, report: dict[str, object] | None, opens: object
) -> None:
    monkeypatch.setattr(program, "read_report", lambda dataset: report)
    code = program.section_program(agreement_page, replace(study(SAVED), key="f" * 32), AgreementSpec())
    tree = ast.parse(code)
    given = {
        ast.unparse(one.targets[0]): ast.literal_eval(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in ("files", "mapping")
    }
    assert given == {"files": opens, "mapping": {"item_id": HOSTILE}}
    assert f'dataset.sha256 == "{"a" * 64}"' in code
    assert "f" * 32 not in code, "the key is a reader's permission"


def test_a_joined_data_set_is_opened_from_its_own_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "read_report", lambda dataset: {"made_from": [{"name": "a"}]})
    code = overview_program(replace(study(replace(SAVED, name="joined")), key="f" * 32))
    assert called(code, "add") == ["joined.csv"]


def test_a_name_in_a_spec_never_becomes_a_statement() -> None:
    def written(name: str) -> list[ast.stmt]:
        spec = ReplacementSpec(name, name, "negative rmse", rater=name)
        return ast.parse(program.section_program(replacement_section, study(SAVED), spec)).body

    assert [type(one) for one in written(HOSTILE)] == [type(one) for one in written("lab")]
