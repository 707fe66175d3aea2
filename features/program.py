"""A Python program that computes a view without a browser: how its data set is opened, and what every page's shares.

What comes from the data set or from its visitor stands in the program as a literal of Python, whatever it holds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from inspect import isgeneratorfunction
from pprint import pformat
from typing import Any, TypeVar

from data.dataset import Dataset
from data.samples import SAMPLES
from features.study import NO_REFERENCE, Scenario, Study, read_report

RUNS = (
    "Lines of Python that compute the main numbers of this view without a browser. They run as they are in a checkout "
    "of Raterscope, and beside the file where the data set is no sample; nothing is kept but a temporary database."
)
_STORE = [
    "from pathlib import Path",
    "from tempfile import mkdtemp",
    "from data.settings import Settings",
    "from data.store.store import Store",
]
_PLACE = [
    'place = Path(mkdtemp(prefix="raterscope-"))',
    'store = Store(settings=Settings(database=str(place / "study.duckdb"), spool=place / "spool"))',
]
PRINTED = ["for what, found in results.items():", "    print(what, found)"]
FIGURES = "results = found.figures"
SectionFunction = TypeVar("SectionFunction", bound=Callable[..., Any])
_COMPUTED: dict[Callable[..., Any], tuple[Callable[..., object], tuple[str, ...]]] = {}
"""By section, the function that computes what it shows, and the lines of its program that leave `results`."""


def computed_by(compute: Callable[..., object], *lines: str) -> Callable[[SectionFunction], SectionFunction]:
    """Declare which function computes what a section shows, for the program behind "Show code".

    `compute(study, spec)`, or `compute(study, scenario, spec)`, returns what the program calls `found`, or yields it in
    stages. `lines` leave the dictionary `results` to be printed, by default `found.figures`.
    """

    def declare(section: SectionFunction) -> SectionFunction:
        _COMPUTED[section] = compute, lines or (FIGURES,)
        return section

    return declare


def section_program(
    section: Callable[..., Any],
    study: Study,
    spec: object,
    scenario: Scenario | None = None,
    joined: tuple[str, Dataset] | None = None,
) -> str:
    """Return the program that computes what a section shows, without a browser; arguments as for `study_program`."""
    compute, lines = _COMPUTED[section]
    return study_program(study, scenario, compute, spec, lines, joined)


def literal(value: object) -> str:
    """Write a value as Python reads it back."""
    return pformat(value, width=100, compact=True, sort_dicts=False)


def program(study: Study, imports: Sequence[str], lines: Sequence[str], everyone: bool = False) -> str:
    """Return a program that opens the data set of the view, or of `everyone`, and leaves `results`."""
    needed, opening = opened(study.key, study.whole if everyone else study.dataset, "dataset")
    return "\n".join(
        [*sorted({*imports, *_STORE, *needed}, key=_import_group), "", *_PLACE, *opening, "", *lines, ""]
    )


def study_program(
    study: Study,
    scenario: Scenario | None,
    results: Callable[..., object],
    spec: object,
    lines: Sequence[str] = (FIGURES,),
    joined: tuple[str, Dataset] | None = None,
    imports: Iterable[str] = (),
) -> str:
    """Return the program that opens the study and calls `results(study, scenario, spec)`; `lines` leave `results`.

    Without a scenario, excluded raters are excluded on opening and the call is `results(study, spec)`. A `joined` data
    set is opened under its key, and is the last argument. Of a generator of stages the program takes the last.
    """
    given = [f"candidate={literal(study.candidate)}"]
    if study.whole.kind == "ratings":
        given.append(f"reference={literal(study.reference_column or study.reference or NO_REFERENCE)}")
    if study.measures != study.all_measures:
        given.append(f"measures={literal(study.measures)}")
    if study.merge == "last":
        given.append(f"merge={literal(study.merge)}")
    call, lines_of_spec = "study, spec", [f"spec = {literal(spec)}"]
    if scenario is not None:
        call, lines_of_spec = "study, scenario, spec", [f"scenario = {literal(scenario)}", *lines_of_spec]
    needed, opening = opened(*joined, "joined") if joined else ([], [])
    if joined:
        call += ", joined"
    called, stages = f"{results.__name__}({call})", isgeneratorfunction(results)
    return program(
        study,
        [
            *needed,
            *imports,
            *(["from features.blocks import last_stage"] if stages else []),
            "from features.study import open_study",
            "from features.study import Session, use_session",
            f"from {results.__module__} import {results.__name__}",
            *types_in(spec),
            *types_in(scenario),
        ],
        [
            *opening,
            *lines_of_spec,
            "with use_session(Session(store)):",
            f"    study = open_study(dataset, {', '.join(given)})",
            f"    found = {f'last_stage({called})' if stages else called}",
            *lines,
            *PRINTED,
        ],
    )


def types_in(value: object) -> set[str]:
    """Return the imports that the `repr` of a value needs, of dataclasses inside each other."""
    found: set[str] = set()
    if is_dataclass(value) and not isinstance(value, type):
        found.add(f"from {type(value).__module__} import {type(value).__name__}")
        for field in fields(value):
            found |= types_in(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for one in value:
            found |= types_in(one)
    return found


def opened(key: str, dataset: Dataset, name: str) -> tuple[list[str], list[str]]:
    """Imports and lines that open a data set, called `name`; `key` is that under which the view opens it."""
    imports, lines = [], []
    if any(sample.key == key for sample in SAMPLES):
        imports.append("from data.samples import SAMPLES")
        lines += [
            f"(sample,) = [each for each in SAMPLES if each.key == {literal(key)}]",
            f"{name} = store.ensure_samples((sample,))[sample.key]",
        ]
    else:
        lines += _from_file(dataset, name)
    if dataset.only:
        imports.append("from data.dataset import Filter")
        if any(one.since or one.until for one in dataset.only):
            imports.append("import datetime")
        lines.append(f"{name} = {name}.keeping({literal(dataset.only)})")
    if dataset.without:
        lines.append(f"{name} = {name}.leaving_out({literal(dataset.without)})")
    if dataset.merged:
        lines.append(f"{name} = {name}.merging_repeats({literal(dataset.merged)})")
    return imports, lines


def _from_file(dataset: Dataset, name: str) -> list[str]:
    report = read_report(dataset) or {}
    if report.get("made_from"):
        return [
            "# joined from several files: its rows are the CSV under More on the Data page",
            f"{name} = store.add({literal(f'{dataset.name}.csv')}, {literal(dataset.kind)})",
        ]
    files = report.get("files") or report.get("file") or dataset.name
    return [
        f"files = {literal(files)}",
        f"mapping = {literal(dict(dataset.mapping))}",
        f"{name} = store.add(files, {literal(dataset.kind)}, mapping)",
        f'assert {name}.sha256 == "{dataset.sha256}", "other rows than those of the page"',
    ]


def _import_group(line: str) -> tuple[bool, bool, str]:
    """Return the place of an import: the standard library, what is installed, ours."""
    first = line.split()[1].split(".")[0]
    return first in ("analysis", "data", "features", "report"), first == "numpy", line
