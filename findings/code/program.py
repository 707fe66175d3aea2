"""A Python program that computes a view without a browser: how its data set is opened, and what every page's shares.

What comes from the data set or from its visitor stands in the program as a literal of Python, whatever it holds.
"""

from collections.abc import Sequence
from pprint import pformat

from data.dataset import Dataset
from data.samples import SAMPLES
from features.results import read_report
from features.study import Study

RUNS = (
    "Lines of Python that compute the main numbers of this view without a browser. They run as they are in a checkout "
    "of Raterscope, and beside the file where the data set is no sample; nothing is kept but a temporary database."
)
RATINGS = [
    "def ratings(measure, group, **only):",
    '    rows = store.query(dataset, "ratings", measure=measure, group=group, **only)',
    '    return Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])',
    "",
]
"""What pages on ratings begin with; it wants `analysis.ratings.Ratings`."""
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


def literal(value: object) -> str:
    """A value as Python reads it back."""
    return pformat(value, width=100, compact=True, sort_dicts=False)


def program(study: Study, imports: Sequence[str], lines: Sequence[str], everyone: bool = False) -> str:
    """The program: it runs in a checkout, opens the view's data set in a database of its own, and leaves `results`.

    With `everyone`, nobody is left out on opening: the lines themselves say who goes.
    """
    needed, opening = opened(study.key, study.whole if everyone else study.dataset, "dataset")
    return "\n".join(
        [*sorted({*imports, *_STORE, *needed}, key=_place), "", *_PLACE, *opening, "", *lines, ""]
    )


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


def _place(line: str) -> tuple[bool, bool, str]:
    """The standard library, what is installed, ours."""
    first = line.split()[1].split(".")[0]
    return first in ("analysis", "data", "features", "findings", "report"), first == "numpy", line
