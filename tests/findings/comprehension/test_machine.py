"""Machines beside people, in whole sentences with their numbers."""

from math import nan

from analysis.comprehension.machine_summaries import MachineLevel, machine_levels
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.comprehension import machine
from tests.findings.comprehension.asked import CLOSED, NAMES, answers, told


def test_machines_beside_people() -> None:
    rows = [("s", wrote, "B", each) for wrote, given in (("A", "RRRN"), ("M", "RRNN")) for each in given]
    levels = machine_levels(answers(rows), (2,), CLOSED)
    assert told(machine.finding_of(levels, NAMES)) == (
        "M reaches 67 % of the human level: its summaries answer 50 % of the same 4 questions at least partially "
        "relevantly, people's 75 %."
    )
    table, _ = machine.machines_table(levels, NAMES)
    assert table["Machine: R + P"].tolist() == [0.5]
    assert table["Difference of R + P"].tolist() == ["−25 points"]


def test_of_several_machines_the_best_and_the_least_are_named() -> None:
    def level(ratio: Estimate, low: float, high: float) -> MachineLevel:
        share = {name: Estimate(0.5) for name in ("R", "P", "I", "N", "R+P", "found")}
        return MachineLevel(share, share, ratio, Estimate(0.1, low, high), 2, 3, 1)

    levels = {
        0: level(Estimate(0.9, 0.8, 1.1, 20), -0.1, 0.2),
        1: level(Estimate(0.4, 0.2, 0.5, 20), 0.1, 0.2),
        2: level(Estimate(nan, reason="no pair"), 0.1, 0.2),
    }
    said = told(machine.finding_of(levels, NAMES))
    assert said.startswith("A reaches 90 % (80 to 110 %) of the human level")
    assert said.endswith("; the difference may be chance; B reaches 40 % (20 to 50 %).")
    assert list(map(told, machine.remarks(levels, NAMES)))[-1] == (
        "Undefined for M: no question with a person's answer beside the machine's."
    )


def test_a_machine_differs_clearly_from_people_where_the_interval_leaves_out_0() -> None:
    def status(ratio: Estimate, low: float, high: float) -> Status:
        share = {name: Estimate(0.5) for name in ("R", "P", "I", "N", "R+P", "found")}
        of = MachineLevel(share, share, ratio, Estimate(0.1, low, high), 2, 3, 1)
        return machine.finding_of({0: of}, NAMES).status

    assert status(Estimate(0.9, 0.8, 1.1, 20), 0.05, 0.2) is Status.CLEAR
    assert status(Estimate(0.9, 0.8, 1.1, 20), -0.1, 0.2) is Status.UNCERTAIN
    assert status(Estimate(0.9, n=20), nan, nan) is Status.UNCERTAIN
    assert status(Estimate(nan, reason="no pair"), 0.1, 0.2) is Status.NOT_ENOUGH_DATA
