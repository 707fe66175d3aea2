"""Rules that every finding of a feature follows, whatever the study: a short headline, one number, plain words."""

import re
from collections.abc import Iterable

from features.blocks import Block, Finding, Status

MOST_WORDS = 15
"""Words of a headline; a value, such as a user's name, counts as one."""
REPLACED = (
    "cannot be told", "told apart", "it takes", "held against", "goes with", "go together", "rests on", "hangs on",
    "foretold", "by itself", "each two", "beside it", "stands beside", "of its own", "surely", "so to speak",
)  # fmt: skip
"""Phrases that findings replace by plainer ones."""
_VALUE = re.compile(r"\{\w*\}")
_NUMBER = re.compile(
    r"[−+]?[\d,]*\.?\d+( ?%)?( (items?|raters?|systems?|measures?|pairs?|ratings?|others?))?"
)
_SEVERAL_AS_ONE = re.compile(r"# of (the |all )?#|# instead of #|# to #|#–#")


def faults_of(finding: Finding) -> list[str]:
    """Return which rules a finding breaks."""
    template, values = finding.headline
    bare = re.sub(r"<[^>]*>", "", template)
    faults = []
    words = _VALUE.sub("x", bare).split()
    if len(words) > MOST_WORDS:
        faults.append(f"{len(words)} words")
    if re.search(r"[()\[\];]", _VALUE.sub("x", bare)):
        faults.append("a bracket or semicolon")
    told = bare.format(**{name: str(value) for name, value in values.items()})
    if told[:1] != told[:1].upper():
        faults.append("no capital first")
    if finding.status.concludes and count_numbers(finding) > 1:
        faults.append(f"{count_numbers(finding)} numbers")
    evidence = " ".join(str(value) for value in finding.evidence[1].values())
    said = f"{_VALUE.sub('x', bare)} {evidence}".casefold()
    faults += [f"the phrase {phrase!r}" for phrase in REPLACED if phrase in said]
    if finding.status in (Status.CLEAR, Status.UNCERTAIN) and not bare.endswith((".", "…")):
        faults.append("no full stop")
    return [f"{told!r}: {fault}" for fault in faults]


def count_numbers(finding: Finding) -> int:
    """Count the numbers of a headline, "3 of 9" as one; names that hold digits are no numbers."""
    template, values = finding.headline
    marked = {name: "#" if _NUMBER.fullmatch(str(value)) else "x" for name, value in values.items()}
    bare = re.sub(r"<[^>]*>", "", template)
    pieces = re.sub(r"(?<![\w#])\d[\d.,]*", "#", re.sub(r"\{(\w+)\}", lambda found: marked[found[1]], bare))
    return _SEVERAL_AS_ONE.sub("#", pieces).count("#")


def check_findings(blocks: Iterable[Block]) -> None:
    """Raise an AssertionError that lists what the findings among these blocks break."""
    faults = [fault for block in blocks if isinstance(block, Finding) for fault in faults_of(block)]
    assert not faults, faults
