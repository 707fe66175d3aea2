"""Layouts of crowdsourcing platforms."""

from collections.abc import Iterator

from tests.roundtrip.noise import Noise, Rows, Written, delimited
from tests.roundtrip.studies import Study

ENVELOPE = [
    "HITId",
    "HITTypeId",
    "Title",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "WorkTimeInSeconds",
]


def _assignment(page: int, who: int, name: str) -> list[object]:
    hit = f"3HIT{page:04d}"
    return [hit, "3TYPE", "Rate short clips", f"{hit}A{who:03d}", name, "Approved", 30 + who + page]


def _slots(noise: Noise, width: int) -> Iterator[tuple[int, int, list[object], list[object]]]:
    """Yield pages of items and their raters, with the items of the page and the answers by measure and slot."""
    study = noise.study
    for start in range(0, len(study.items), width):
        page = list(range(min(start, len(study.items) - width), min(start + width, len(study.items))))
        for who in range(len(study.raters)):
            cells = [
                noise.cell(at, who, what) if at >= start else ""
                for what in range(len(study.measures))
                for at in page
            ]
            yield start, who, [study.items[at] for at in page], cells


def slots_of_measures(study: Study) -> Written:
    """Write one row per page of several items and rater, with a numbered answer for each item and measure."""
    noise = Noise(study, "slots of measures")
    width = int(noise.draw.integers(2, 4))
    head: list[object] = [noise.header("rater"), *(f"clip_{slot + 1}" for slot in range(width))]
    head += [f"{measure}_{slot + 1}" for measure in study.measures for slot in range(width)]
    rows: Rows = [[study.raters[who], *items, *cells] for _, who, items, cells in _slots(noise, width)]
    decided_by = "the numbers of items and answers"
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided_by)


def mturk_slots(study: Study) -> Written:
    """Write one row per assignment with numbered answers for numbered items."""
    noise = Noise(study, "mturk slots")
    width = int(noise.draw.integers(2, 5))
    called = noise.one_of(("clip", "text", "url", "item"))
    head: list[object] = [*ENVELOPE, *(f"Input.{called}_{slot + 1}" for slot in range(width))]
    for measure in study.measures if len(study.measures) > 1 else ("quality",):
        head += [f"Answer.{measure}_{slot + 1}" for slot in range(width)]
    rows: Rows = [
        [*_assignment(start, who, study.raters[who]), *items, *cells]
        for start, who, items, cells in _slots(noise, width)
    ]
    short = noise.happens("rows end before Approve", 0.5)
    head += ["Approve", "Reject"] * short
    content = noise.table([head], rows)
    return Written({"batch.csv": content}, tuple(noise.used), "the format")


def mturk_measures(study: Study) -> Written:
    """Write one row per assignment of one item with an answer for each measure, some without the platform's columns."""
    noise = Noise(study, "mturk measures")
    bare = noise.happens("without the platform's columns", 0.3)
    head: list[object] = [*ENVELOPE * (not bare), f"Input.{noise.one_of(('clip', 'text_id', 'image_url'))}"]
    head += [f"Answer.{measure}" for measure in study.measures]
    rows: Rows = []
    for at, item in enumerate(study.items):
        for who, name in enumerate(study.raters):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                told = [] if bare else _assignment(at, who, name)
                rows.append([*told, item, *(noise.cell(*key) for key in keys)])
    content, raters = noise.table([head], rows), "slots" if bare else "named"
    return Written({"batch.csv": content}, tuple(noise.used), "the format", raters=raters)


def toloka(study: Study) -> Written:
    """Write a Toloka assignments file."""
    noise = Noise(study, "toloka", commas=False)
    head: list[object] = [f"INPUT:{noise.one_of(('item_id', 'audio', 'image'))}"]
    head += [*(f"OUTPUT:{measure}" for measure in study.measures), "GOLDEN:result", "HINT:text"]
    head += [f"ASSIGNMENT:{name}" for name in ("link", "assignment_id", "worker_id", "status", "started")]
    rows: Rows = []
    for at, item in enumerate(study.items):
        for who, name in enumerate(study.raters):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                own = f"000{at:04d}--{who:05d}"
                tail = [f"https://example.org/{own}", own, name, "APPROVED", f"2026-03-04T09:{at:02d}:0{who}"]
                rows.append([item, *(noise.cell(*key) for key in keys), "", "", *tail])
    return Written(
        {"assignments.tsv": delimited([head, *rows], "\t").encode()}, tuple(noise.used), "the format"
    )
