"""How much is shared, in whole sentences with their numbers."""

from analysis.comprehension.answer_shares import coded_shares
from analysis.values.estimate import BootstrapSpec
from findings.comprehension import shares
from tests.findings.comprehension.asked import CLOSED, NAMES, answers, told


def shared(spec: BootstrapSpec = CLOSED, with_machines: bool = False) -> shares.Shared:
    everyone = answers()
    people = coded_shares(everyone.among_people((2,)), spec)
    return shares.Shared(coded_shares(everyone, spec), people, NAMES, [0, 1, 2], [0, 1], (2,), with_machines)


def test_how_much_is_shared_with_and_without_machines() -> None:
    assert told(shares.finding_of(shared())) == (
        "People's summaries share 75 % of what others found important: relevant or partially relevant (relevant "
        "alone: 50 %); 25 % was not found."
    )
    assert told(shares.finding_of(shared(with_machines=True))).startswith(
        "Summaries share 67 % of what others"
    )
    assert "All stories agree, so that resampling them shows no spread." in map(
        told, shares.remarks(shared(BootstrapSpec(100)))
    )


def test_what_the_shares_rest_on_and_who_is_left_out() -> None:
    (note,) = map(told, shares.notes(shared()))
    assert note == "12 questions put to summaries of 3 stories, 1 judge. Lines stand at the level of all."
    assert list(map(told, shares.remarks(shared()))) == [
        "3 answers to an author's own questions set aside: a summary is never asked its author's own.",
        "Machines are left out of all but their own bars: M.",
    ]


def test_shares_as_tables() -> None:
    overall, _ = shares.overall_table(shared().shown.overall)
    assert overall["Answer"].tolist()[:2] == ["R relevant", "P partially relevant"]
    assert overall["Answers"].tolist() == [6, 3, 0, 3, 9, 9]
    by_author, _ = shares.authors_table(shared())
    assert by_author["Author"].tolist() == ["A", "B", "M", "A", "B"]
    assert by_author["Kind"].tolist() == ["person", "person", "machine", "person", "person"]
    assert by_author["R + P"].tolist() == [1, 0.5, 0.5, 0.5, 1]
