"""The settings of a report, which a file repeats."""

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.systems.ranked_options import RankingScope, TaskScope
from analysis.values.estimate import SCOPES, BootstrapSpec, InputError, Scope
from data.dataset import Dataset, Merge
from data.errors import listed
from features.assessments import shares_items, shares_systems
from features.comparison.results import candidates
from features.raters.exclusion_rules import LINES, ruled
from features.raters.exclusion_rules import read as read_rule
from features.study import Scenario, Study, check_known, open_study, query, together

SECTIONS = (
    "data",
    "agreement",
    "variance",
    "groups",
    "standing-in",
    "repetitions",
    "raters",
    "items",
    "metrics",
    "labels",
    "systems",
    "workers",
    "comprehension",
    "relevance",
    "planning",
    "collection",
    "heds",
)
"""In the order in which they stand; of these a data set has what its columns allow."""
RATERS = ("raters", "workers")
"""Names of one section: that of ratings, and that of choices, label sets and rankings. Either asks for it."""


BESIDES = ("file", "out", "contributors", "comparisons")
"""Further entries of a file of settings: the study's file, the folder, and the files that belong to it."""


@dataclass(frozen=True)
class Asked:
    """Content of a report that is asked for; an empty tuple means all there are, None what the pages take.

    groups : whose ratings are looked at
    reference : a group, a number known of the items, or "none" for split halves
    without : raters that are left out, and rules that find some (`features.raters.exclusion_rules`)
    draws, seed : of all intervals
    merge : what stands for a rater's repeats of an item where raters are compared, "mean" or "last"
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
        if self.merge not in get_args(Merge):
            raise InputError(f"`merge` must be one of {', '.join(get_args(Merge))}, got {self.merge!r}")

    def wants(self, section: str) -> bool:
        """Return True where a section is asked for."""
        named = (section, *(RATERS if section in RATERS else ()))
        return not self.sections or any(name in self.sections for name in named)

    def bootstrap(self, usual: int | None = None) -> BootstrapSpec:
        """Return how intervals are drawn, `usual` times unless a number is asked for."""
        usual = BootstrapSpec().draws if usual is None else usual
        return BootstrapSpec(usual if self.draws is None else min(self.draws, usual), self.seed)

    def having(self, **given: object) -> Self:
        """Return the same, with what is given (not None)."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def read(path: Path) -> tuple[Asked, dict[str, str]]:
    """Return the settings of a TOML or JSON file, and its entries `BESIDES`; raise `InputError` for other content."""
    text = path.read_text(encoding="utf-8")
    try:
        told: dict[str, Any] = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"{path.name} cannot be read: {error}") from None
    if not isinstance(told, dict):
        raise InputError(f"{path.name} holds no settings")
    besides: dict[str, str] = {name: str(told.pop(name)) for name in BESIDES if name in told}
    known = {field.name: field for field in fields(Asked)}
    for name, value in told.items():
        if name not in known:
            raise InputError(f"{path.name} says {name!r}, which is no setting: {', '.join(known)}")
        several = isinstance(getattr(Asked(), name), tuple)
        if several and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise InputError(f"`{name}` in {path.name} must be a list of texts")
        number = name in ("draws", "seed")
        if not several and not isinstance(value, int if number else str):
            raise InputError(f"`{name}` in {path.name} must be a {'whole number' if number else 'text'}")
        told[name] = tuple(value) if several else value
    return Asked(**told), besides


def as_toml(asked: Asked, besides: Mapping[str, str]) -> str:
    """Return settings as a file from which `read` takes the same."""
    told = {**besides, **{name: value for name, value in asdict(asked).items() if value is not None}}
    lines = [f"{name} = {_toml(value)}" for name, value in told.items()]
    return "\n".join(["# python -m report --config THIS_FILE", *lines, ""])


def as_command(asked: Asked, file: str, besides: Mapping[str, str]) -> str:
    """Return the command that makes the same report of the same file, and of those `besides` it."""
    options = [f"--{name}={told}" for name, told in besides.items()]
    for name, value in asdict(asked).items():
        usual = getattr(Asked(), name)
        options += [
            f"--{name}={one}" for one in (value if isinstance(usual, tuple) else [value]) if one != usual
        ]
    return shlex.join(["python", "-m", "report", file, "--out", "DIR", *options])


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def opened(
    dataset: Dataset,
    key: str,
    asked: Asked,
    contributors: Dataset | None = None,
    comparisons: Dataset | None = None,
) -> tuple[Study, Scenario]:
    """Return the study with the first group asked for as the candidate, and who is left out."""
    study = everyone(dataset, key, asked)
    if contributors is not None and not shares_items(study.whole, contributors):
        raise InputError("`contributors`: they speak of none of the items")
    if comparisons is not None and not shares_systems(study.whole, comparisons):
        raise InputError("`comparisons`: they compare no two of the systems")
    return leaving_out(replace(study, contributors=contributors, comparisons=comparisons), asked)


def everyone(dataset: Dataset, key: str, asked: Asked) -> Study:
    """Return the same study with nobody left out."""
    return (
        _of_ratings(dataset, key, asked)
        if dataset.kind == "ratings"
        else open_study(dataset, key=key, merge=asked.merge)
    )


def of_each_group(study: Study, asked: Asked) -> list[Study]:
    """Return the study with each group as the candidate: those asked for, else all but the reference."""
    groups = [group for group in study.groups if group in asked.groups and group != study.reference]
    return [replace(study, candidate=group) for group in groups or candidates(study) or [study.candidate]]


def _of_ratings(dataset: Dataset, key: str, asked: Asked) -> Study:
    study = open_study(
        dataset, key=key, reference=asked.reference, measures=asked.measures, merge=asked.merge
    )
    check_known("groups", asked.groups, study.groups)
    chosen = [group for group in study.groups if group in asked.groups] or list(study.groups)
    if study.candidate in chosen and study.candidate != study.reference:
        return study
    reference = study.reference_column or study.reference
    return replace(study, candidate=next((group for group in chosen if group != reference), chosen[0]))


def leaving_out(study: Study, asked: Asked) -> tuple[Study, Scenario]:
    """Return the study without the raters and those found by the rules asked for, and who they are."""
    if not asked.without:
        return study, Scenario()
    names = query(study.whole, "rater_names")["name"] if study.whole.rater_column else np.empty(0, str)
    picked = [one for one in asked.without if one in names]
    ruled = [_ruled(study, asked, one, names.tolist()) for one in asked.without if one not in names]
    finding = [one for one in ruled if one.excludes]
    by_rule = finding[0] if len(finding) == 1 else _all_of(names, finding)
    why = "; ".join(one.reason for one in ruled if one.reason)
    chosen = replace(together(study, picked, by_rule), applied=True, reason=why)
    return replace(study, dataset=study.whole.leaving_out(chosen.names)), chosen


def _ruled(study: Study, asked: Asked, line: str, names: Sequence[str]) -> Scenario:
    """Return whom a rule finds in every group that is compared with the reference."""
    rule = read_rule(line)
    if rule is None:
        rules = ", ".join(LINES)
        raise InputError(
            f"`without`: {line!r} is neither a rater ({listed(list(names)[:5]) or 'none'}, …) nor a rule: {rules} "
            "(… on MEASURE)"
        )
    each = of_each_group(study, asked) if study.whole.kind == "ratings" else [study]
    found = [ruled(one, rule) for one in each]
    if len(found) == 1:
        return found[0]
    there = [
        replace(one, name=f"{one.name} in {of.candidate}")
        for of, one in zip(each, found, strict=True)
        if one.excludes
    ]
    if not there:
        return Scenario(reason=found[0].reason)
    return _all_of(np.asarray(names), there)


def _all_of(names: NDArray[np.str_], every: Sequence[Scenario]) -> Scenario:
    """Return all that several rules leave out."""
    codes = sorted({code for one in every for code in one.left_out_codes})
    told = " and ".join(one.name for one in every)
    return Scenario(told, tuple(codes), tuple(names[codes].tolist()))
