"""The rules for findings find what they are for, and let plain findings pass."""

import pytest

from features.blocks import Finding, Status, clear
from tests.findings_rules import faults_of

PLAIN = [
    clear("{first} ranks first, but {alike} others may be as good.", {"first": "System human 2", "alike": "12"}),
    clear("The crowd rates higher on {share} of {measures}.", {"share": 3, "measures": "9 measures"}),
    clear("Single {group} ratings reach an alpha of at most {alpha}.", {"group": "crowd", "alpha": "0.42"}),
    Finding(("Not enough data to rank: you have {there}, it needs {least}.", {"there": "3 items", "least": 10}),
            status=Status.NOT_ENOUGH_DATA),
]  # fmt: skip
ODD = {
    "16 words": clear("a b c d e f g h i j k l m n {name} p.".capitalize(), {"name": "two words"}),
    "a bracket or semicolon": clear("Raters agree (mostly)."),
    "no capital first": clear("{name} ranks first.", {"name": "human 2"}),
    "2 numbers": clear("A reliability of {one} needs {other}.", {"one": "0.80", "other": "19 ratings"}),
    "the phrase 'cannot be told'": clear("Which is better cannot be told."),
    "the phrase 'rests on'": clear("Crowd and lab differ.", {}, "this rests on 3 items"),
    "no full stop": clear("Crowd and lab differ"),
}


@pytest.mark.parametrize("finding", PLAIN, ids=lambda finding: finding.headline[0])
def test_plain_findings_pass(finding: Finding) -> None:
    assert faults_of(finding) == []


@pytest.mark.parametrize("fault", ODD)
def test_each_fault_is_found(fault: str) -> None:
    (found,) = faults_of(ODD[fault])
    assert found.endswith(fault)
