"""Settings of a report, which can be written to a file and read again."""

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.systems.ranked_options import RankingScope, TaskScope
from analysis.values.estimate import SCOPES, BootstrapSpec, InputError, Scope
from data.dataset import Dataset, Merge
from data.errors import listed
from features.assessments import shares_items, shares_systems, without_controls
from features.comparison.results import candidates
from features.planning.specs import COLLECT
from features.raters.exclusion_rules import LINES, ruled
from features.raters.exclusion_rules import read as read_rule
from features.study import Scenario, Study, check_known, combine_exclusions, open_study, query

SECTION_TITLES = {
    "data": "The data",
    "agreement": "Agreement of the raters",
    "variance": "Where the variance comes from",
    "groups": "Groups compared",
    "standing-in": "Replacing raters",
    "repetitions": "How many ratings are enough",
    "raters": "The raters",
    "items": "Items",
    "metrics": "Automatic metrics",
    "labels": "Labels and known answers",
    "systems": "Systems",
    "workers": "The raters",
    "comprehension": "How much is shared",
    "relevance": "Which summaries suffice",
    "planning": COLLECT,
    "collection": COLLECT,
    "heds": "The human evaluation datasheet",
}
"""Titles of the sections in the order of a report; a data set has those that its columns allow."""
SECTIONS = tuple(SECTION_TITLES)
SAME_SECTION = {
    **dict.fromkeys(("raters", "workers"), ("raters", "workers")),
    **dict.fromkeys(("planning", "collection"), ("planning", "collection")),
}
"""Names of one section, of ratings and of choices, or former and present. Each selects it."""


EXTRA_ENTRIES = ("file", "out", "contributors", "comparisons")
"""Further entries of a settings file: the study's file, the output folder, and the linked files."""


@dataclass(frozen=True)
class ReportSettings:
    """Requested content of a report; an empty tuple means all, None the default of the pages.

    groups : groups of raters to report on
    reference : a group, a numeric column of the items, or "none" for split halves
    without : raters to exclude, and rules that select some (`features.raters.exclusion_rules`)
    draws, seed : bootstrap samples and seed of all intervals
    controls : "exclude" or "include" hidden references and anchors of listening tests
    merge : the value that replaces a rater's repeats of an item where raters are compared, "mean" or "last"
    generalize : "these raters" or "raters like these", for all intervals and comparisons that have both
    tasks : "these tasks" or "tasks like these", for intervals of rankings
    """

    groups: tuple[str, ...] = ()
    reference: str | None = None
    measures: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    title: str = ""
    notes: str = ""
    draws: int | None = None
    seed: int = 0
    controls: Literal["exclude", "include"] = "exclude"
    merge: Merge = "mean"
    generalize: Scope | None = None
    tasks: TaskScope | None = None

    def __post_init__(self) -> None:
        unknown = [name for name in self.sections if name not in SECTIONS]
        if unknown:
            raise InputError(f"`sections` must be among {', '.join(SECTIONS)}, got {unknown[0]!r}")
        if self.generalize not in (None, *SCOPES):
            raise InputError(f"`generalize` must be one of {', '.join(SCOPES)}, got {self.generalize!r}")
        RankingScope(tasks=self.tasks)
        if self.controls not in ("exclude", "include"):
            raise InputError(f"`controls` must be exclude or include, got {self.controls!r}")
        if self.merge not in get_args(Merge):
            raise InputError(f"`merge` must be one of {', '.join(get_args(Merge))}, got {self.merge!r}")

    def wants(self, section: str) -> bool:
        named = SAME_SECTION.get(section, (section,))
        return not self.sections or any(name in self.sections for name in named)

    def bootstrap(self, default: int | None = None) -> BootstrapSpec:
        """Return the bootstrap of intervals, with `default` samples or fewer if `draws` is lower."""
        default = BootstrapSpec().draws if default is None else default
        return BootstrapSpec(default if self.draws is None else min(self.draws, default), self.seed)

    def override(self, **overrides: object) -> Self:
        """Return a copy with the given values that are not None; lists become tuples."""
        defined = {name: value for name, value in overrides.items() if value is not None}
        tuples = {name: tuple(value) for name, value in defined.items() if isinstance(value, list)}
        return replace(self, **defined | tuples)  # type: ignore[arg-type]


def read(path: Path) -> tuple[ReportSettings, dict[str, str]]:
    """Return the settings of a TOML or JSON file, and its `EXTRA_ENTRIES`; raise `InputError` if it is invalid."""
    text = path.read_text(encoding="utf-8")
    try:
        entries: dict[str, Any] = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"{path.name} cannot be read: {error}") from None
    if not isinstance(entries, dict):
        raise InputError(f"{path.name} holds no settings")
    extras: dict[str, str] = {name: str(entries.pop(name)) for name in EXTRA_ENTRIES if name in entries}
    known_fields = {field.name: field for field in fields(ReportSettings)}
    for name, value in entries.items():
        if name not in known_fields:
            raise InputError(f"{path.name} says {name!r}, which is no setting: {', '.join(known_fields)}")
        is_list = isinstance(getattr(ReportSettings(), name), tuple)
        if is_list and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise InputError(f"`{name}` in {path.name} must be a list of texts")
        number = name in ("draws", "seed")
        if not is_list and not isinstance(value, int if number else str):
            raise InputError(f"`{name}` in {path.name} must be a {'whole number' if number else 'text'}")
        entries[name] = tuple(value) if is_list else value
    return ReportSettings(**entries), extras


def as_toml(settings: ReportSettings, extras: Mapping[str, str]) -> str:
    """Return settings as TOML that `read` can parse."""
    entries = {**extras, **{name: value for name, value in asdict(settings).items() if value is not None}}
    lines = [f"{name} = {_toml(value)}" for name, value in entries.items()]
    return "\n".join(["# python -m report --config THIS_FILE", *lines, ""])


def as_command(settings: ReportSettings, file: str, extras: Mapping[str, str]) -> str:
    """Return the command that repeats the report, with the options `extras` for linked files."""
    options = [f"--{name}={entries}" for name, entries in extras.items()]
    for name, value in asdict(settings).items():
        default = getattr(ReportSettings(), name)
        options += [
            f"--{name}={one}" for one in (value if isinstance(default, tuple) else [value]) if one != default
        ]
    return shlex.join(["python", "-m", "report", file, "--out", "DIR", *options])


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def open_report_study(
    dataset: Dataset,
    key: str,
    settings: ReportSettings,
    contributors: Dataset | None = None,
    comparisons: Dataset | None = None,
) -> tuple[Study, Scenario]:
    """Return the study with the first requested group as the candidate, and the excluded raters."""
    study = open_without_exclusions(dataset, key, settings)
    if contributors is not None and not shares_items(study.whole, contributors):
        raise InputError("`contributors`: they speak of none of the items")
    if comparisons is not None and not shares_systems(study.whole, comparisons):
        raise InputError("`comparisons`: they compare no two of the systems")
    return exclude_raters(replace(study, contributors=contributors, comparisons=comparisons), settings)


def open_without_exclusions(dataset: Dataset, key: str, settings: ReportSettings) -> Study:
    """Return the study with every rater, by default without hidden references and anchors."""
    if settings.controls == "exclude":
        dataset = without_controls(dataset)
    return (
        _open_ratings(dataset, key, settings)
        if dataset.kind == "ratings"
        else open_study(dataset, key=key, merge=settings.merge)
    )


def open_each_candidate(study: Study, settings: ReportSettings) -> list[Study]:
    """Return the study with each requested group as the candidate, by default with all but the reference."""
    groups = [group for group in study.groups if group in settings.groups and group != study.reference]
    return [replace(study, candidate=group) for group in groups or candidates(study) or [study.candidate]]


def _open_ratings(dataset: Dataset, key: str, settings: ReportSettings) -> Study:
    study = open_study(
        dataset, key=key, reference=settings.reference, measures=settings.measures, merge=settings.merge
    )
    check_known("groups", settings.groups, study.groups)
    chosen = [group for group in study.groups if group in settings.groups] or list(study.groups)
    if study.candidate in chosen and study.candidate != study.reference:
        return study
    reference = study.reference_column or study.reference
    return replace(study, candidate=next((group for group in chosen if group != reference), chosen[0]))


def exclude_raters(study: Study, settings: ReportSettings) -> tuple[Study, Scenario]:
    """Return the study without the listed raters and those selected by rules, and the excluded raters."""
    if not settings.without:
        return study, Scenario()
    names = query(study.whole, "rater_names")["name"] if study.whole.rater_column else np.empty(0, str)
    picked = [one for one in settings.without if one in names]
    ruled = [
        _apply_rule(study, settings, one, names.tolist()) for one in settings.without if one not in names
    ]
    finding = [one for one in ruled if one.excludes]
    by_rule = finding[0] if len(finding) == 1 else _combine_rules(names, finding)
    why = "; ".join(one.reason for one in ruled if one.reason)
    chosen = replace(combine_exclusions(study, picked, by_rule), applied=True, reason=why)
    return replace(study, dataset=study.whole.leaving_out(chosen.names)), chosen


def _apply_rule(study: Study, settings: ReportSettings, line: str, names: Sequence[str]) -> Scenario:
    """Return the raters that a rule selects in any group that is compared with the reference."""
    rule = read_rule(line)
    if rule is None:
        rules = ", ".join(LINES)
        raise InputError(
            f"`without`: {line!r} is neither a rater ({listed(list(names)[:5]) or 'none'}, …) nor a rule: {rules} "
            "(… on MEASURE)"
        )
    studies = open_each_candidate(study, settings) if study.whole.kind == "ratings" else [study]
    scenarios = [ruled(one, rule) for one in studies]
    if len(scenarios) == 1:
        return scenarios[0]
    excluding = [
        replace(one, name=f"{one.name} in {of.candidate}")
        for of, one in zip(studies, scenarios, strict=True)
        if one.excludes
    ]
    if not excluding:
        return Scenario(reason=scenarios[0].reason)
    return _combine_rules(np.asarray(names), excluding)


def _combine_rules(names: NDArray[np.str_], scenarios: Sequence[Scenario]) -> Scenario:
    """Return the union of the raters that several rules exclude."""
    codes = sorted({code for one in scenarios for code in one.left_out_codes})
    entries = " and ".join(one.name for one in scenarios)
    return Scenario(entries, tuple(codes), tuple(names[codes].tolist()))
