"""A report as its page makes it, as a Python program and as the command with the settings that repeat it."""

from collections.abc import Sequence
from dataclasses import replace

from features.assessments import SAMPLE_PYRAMIDS
from features.program import literal, opened, program
from features.results import read_report
from features.study import Scenario, Study
from report.parts.asked import Asked, as_toml
from report.parts.views import View


def as_program(study: Study, scenario: Scenario, asked: Asked, views: Sequence[View] = ()) -> str:
    """The lines that call `report.build`, below the command.

    Views are named without readers' keys.
    """
    key = study.key if study.synthetic else ""
    named = [replace(view.without_keys, contributors=None) for view in views]
    needed, pyramid = _pyramid(study)
    without_anybody = "replace(asked, without=())" + (", pyramid" if pyramid else "")
    also_needed, pyramids = _pyramids(views)
    imports = [
        "import json",
        "from dataclasses import replace",
        "from features.results import Session, use_session",
        "from report.build import of_study",
        "from report.files.html import html",
        "from report.files.numbers import results_json",
        "from report.parts.asked import Asked",
        "from report.parts.opening import opened",
        "from features.study import Scenario",
    ]
    if scenario.rule is not None:
        imports.append("from analysis.assessors.exclusion import ExclusionRule")
    imports += needed
    if views:
        imports += ["from report.parts.views import View", *also_needed]
    return program(
        study,
        imports,
        [
            *_command(study, asked),
            f"asked = {literal(asked)}",
            f"scenario = {literal(scenario)}  # who is left out, and by which rule",
            f"views = {literal(named)}",
            *pyramids,
            *pyramid,
            "with use_session(Session(store)):",
            f"    study, _ = opened(dataset, {literal(key)}, {without_anybody})",
            f"    study = replace(study, candidate={literal(study.candidate)})",
            *_leaving_out(study),
            "    made = of_study(study, scenario, asked, views=views)",
            "results = json.loads(results_json(made))",
            '(place / "report.html").write_text(html(made), encoding="utf-8")',
            'print("The report is", place / "report.html")',
        ],
        everyone=True,
    )


def _pyramid(study: Study) -> tuple[list[str], list[str]]:
    """Imports and lines that open the contributors of the study's own pyramid."""
    if study.contributors is None:
        return [], []
    return opened(SAMPLE_PYRAMIDS.get(study.key, ""), study.contributors, "pyramid")


def _pyramids(views: Sequence[View]) -> tuple[list[str], list[str]]:
    """Imports and lines that open the contributors which rules of views look at."""
    imports, lines = list[str](), list[str]()
    for at, view in enumerate(views):
        if view.contributors is not None:
            needed, opening = opened("", view.contributors, "contributors")
            imports += needed
            lines += [*opening, f"views[{at}] = replace(views[{at}], contributors=contributors)"]
    return imports, lines


def _leaving_out(study: Study) -> list[str]:
    if not study.dataset.without:
        return []
    return [f"    study = replace(study, dataset=dataset.leaving_out({literal(study.dataset.without)}))"]


def _command(study: Study, asked: Asked) -> list[str]:
    """The command and its settings, as a comment: names never leave it, each line of them begins one."""
    file = study.key if study.synthetic else str((read_report(study.whole) or {}).get("file") or "FILE")
    besides = {"file": file, "out": "DIR"}
    if study.contributors is not None and not study.synthetic:
        besides["contributors"] = str(
            (read_report(study.contributors) or {}).get("file") or study.contributors.name
        )
    settings = as_toml(asked, besides).splitlines()[1:]
    return [
        "# The same from the command line, of all rows and views aside: python -m report --config report.toml",
        "# where report.toml holds",
        *(f"#     {line}" for line in settings),
    ]
