"""Annotation tools: Prodigy, Argilla, Doccano, Potato, SageMaker Ground Truth, Zooniverse and Labelbox.

Argilla's records hold the responses of users to questions by question, by user (with `values`), or in three columns of
lists (`question.responses`, `.users`, `.status`). Potato writes a row per instance and user, with a column per scheme,
label or point of a scale, and `user_state.json` with all answers of one user. Ground Truth and Labelbox hold the
answers of all workers to an item in one object, Zooniverse those of one user in a list of tasks.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from data.errors import listed
from data.formats.parts.cells import (
    constant_within,
    filled,
    fold,
    item_column,
    object_of,
    objects_of,
    options_of,
    text_of,
    value_of,
)
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import SEVERAL, Response, answers_of, table_of, table_of_questions

_ANNOTATORS = ("_annotator_id", "_session_id")
_TASKS = ("_input_hash", "_task_hash")
_VERDICTS = {"accept", "reject", "ignore"}
_NAMED_OPTIONS = (("a", "b"), ("option_a", "option_b"), ("model_a", "model_b"), ("system_a", "system_b"))


def _prodigy(table: Table, chosen: Chosen) -> Canonical:
    rows, task = table.head, table.first(*_TASKS)
    rater = next((name for name in _ANNOTATORS if name in table.names and filled(rows, name)), "")
    id_columns = [
        name for name in table.names if name.startswith("meta.") or name in ("id", "item", "item_id")
    ]
    if task:
        id_columns = [name for name in id_columns if constant_within(rows, task, [name])]
    item = item_column(rows, id_columns) or task or "text"
    plain = {name.rpartition(".")[2].casefold(): name for name in table.names}
    options = ((plain[a], plain[b]) for a, b in _NAMED_OPTIONS if {a, b} <= set(plain))
    option_a, option_b = next(options, ("", ""))
    choices = "accept" in table.names and bool(filled(rows, "accept"))
    notes, not_taken = [], {"ignore": "the task was ignored"}
    if choices:
        not_taken["reject"] = "the task was rejected"
        notes.append("The options that were accepted are the answer; tasks that were rejected are set aside.")

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        verdict, accepted = row["answer"], row.get("accept", "")
        if verdict in not_taken:
            yield Aside(line, "answer", not_taken[verdict], verdict)
            return
        sources = {"option_a": option_a, "option_b": option_b, "text": "text", "submitted": "_timestamp"}
        answers = {"answer": text_of(value_of(accepted)) if choices else verdict}
        cells = {column: row.get(source, "") for column, source in sources.items()}
        yield Response(row.get(item, ""), row.get(rater), answers, cells, no_answer_cell=("accept", accepted))

    return table_of(table, responses, ["answer"], "no option was chosen", notes=notes)


def _recognizes_prodigy(table: Table) -> bool:
    """Return True for a table of tasks with verdicts, which differ or belong to accepted options: where all say accept,
    the answers are elsewhere."""
    column = table.column("answer")
    has_people = any(name in table.names for name in (*_ANNOTATORS, *_TASKS))
    if not has_people or column is None or not set(column.examples) <= _VERDICTS:
        return False
    options = "accept" in table.names and filled(table.head, "accept")
    return bool(options) or len({*filled(table.head, "answer")} - {"ignore"}) > 1


_ENDS = (".responses", ".responses.users", ".responses.status")
_IDS = ("external_id", "id", "_server_id")
_AnsweredQuestion = tuple[str, str, str, Any]
"""User, status, question and value."""


def _argilla(table: Table, chosen: Chosen) -> Canonical:
    rows = table.head
    item = next((name for name in _IDS if name in table.names and all(row[name] for row in rows)), "")
    texts = [name for name in table.names if name.startswith("fields.") or name == "text"]

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        by_user: dict[tuple[str, str], tuple[dict[str, str], dict[str, list[tuple[str, str]]]]] = {}
        for user, status, question, value in _argilla_answers(row):
            answers, ranks = by_user.setdefault((user, status), ({}, {}))
            if any("rank" in each for each in objects_of(value)):
                ranks[question] = _ranks_in(value)
            else:
                answers[question] = text_of(value)
        if not by_user:
            yield Aside(line, "responses", "the record has no response", "")
        for (user, status), (answers, ranks) in by_user.items():
            if status not in ("", "submitted"):
                yield Aside(line, "status", f"the response is no submitted one, but {status[:40]}", user)
                continue
            item_name, text = row[item] if item else f"record {line}", row[texts[0]] if texts else ""
            yield Response(
                item_name, user, answers, {"text": text}, no_answer_cell=("responses", user), ranks=ranks
            )

    return table_of_questions(table, responses, "the response holds no value")


def _argilla_answers(row: Cells) -> Iterator[_AnsweredQuestion]:
    if "responses" in row:
        yield from _record_answers(row["responses"])
        return
    for question in (name.removesuffix(_ENDS[0]) for name in row if f"{name}.users" in row):
        cells = [value_of(row.get(question + end, "")) for end in _ENDS]
        values, users, states = (cell if isinstance(cell, list) else [] for cell in cells)
        for index, value in enumerate(values):
            user, status = (
                text_of(column[index]) if index < len(column) else "" for column in (users, states)
            )
            yield user, status, question, value


def _record_answers(cell: str) -> Iterator[_AnsweredQuestion]:
    for question, responses in object_of(cell).items():
        for response in objects_of(responses):
            if "value" in response:
                yield *_user_and_status(response), question, response["value"]
    for response in objects_of(cell):
        for question, answer in object_of(response.get("values")).items():
            if isinstance(answer, dict):
                yield *_user_and_status(response), question, answer.get("value")


def _user_and_status(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the user and the status of a response."""
    status = record.get("status")
    return text_of(record.get("user_id")), text_of(
        status.get("value") if isinstance(status, dict) else status
    )


def _ranks_in(value: Any) -> list[tuple[str, str]]:
    """Return the options of a ranking with their ranks."""
    ranked = [(text_of(each.get("value")), text_of(each.get("rank"))) for each in objects_of(value)]
    return [(option, rank) for option, rank in ranked if option and rank]


def _recognizes_argilla(table: Table) -> bool:
    if "responses" in table.names:
        return any(any(_record_answers(cell)) for cell in filled(table.head, "responses"))
    return any(name.endswith(_ENDS[0]) and f"{name}.users" in table.names for name in table.names)


_TEXTS = ("text", "data", "filename")
_LABELS = ("label", "labels", "cats")
_RATERS = ("annotator", "username", "user")


def _recognizes_doccano(table: Table) -> bool:
    """Return True where labels are texts, or there are none; spans of the text are no ratings."""
    label = table.first(*_LABELS)
    cells = [value_of(cell) for cell in filled(table.head, label)] if label else []
    return (
        "id" in table.names
        and any(name in table.names for name in _TEXTS)
        and bool(cells)
        and all(
            isinstance(labels, list)
            and all(isinstance(each, str) for each in labels)
            and len({*labels}) == len(labels)  # else of as many people
            for labels in cells
        )
    )


def _doccano(table: Table, chosen: Chosen) -> Canonical:
    label = table.first(*_LABELS)
    rater = next((name for name in _RATERS if filled(table.head, name)), "")
    text = table.first(*_TEXTS)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        answers = {
            label: text_of(value_of(row[label]) or "")
        }  # without a label it may not have been annotated
        yield Response(row["id"], row.get(rater), answers, {"text": row[text]}, no_answer_cell=(label, ""))

    return table_of(table, responses, [label], "the example has no label")


_USERS = ("user", "user_id", "annotator")
_ENVELOPE = {"instance_id", "displayed_text", "text", "time", "time_string", "timestamp"}
_BEHAVIOR = ("behavioral_data", "span_annotations", "spans", "metadata")
_BEFORE_SCHEMES = re.compile(r"^(label_annotations|labels|annotations)\.")
"""Prefixes of the names of schemes in JSON lines."""
_LABEL = re.compile(r"(.+?)(?::::|\.|:)([^.:]+)")


def _potato(table: Table, chosen: Chosen) -> Canonical:
    user = table.first(*_USERS)
    label_columns = {name: _LABEL.fullmatch(name) for name in table.names if _is_scheme(name, user)}
    options = options_of(
        table.head, {name: (match[1], match[2]) for name, match in label_columns.items() if match}
    )
    table = fold(table, options)
    schemes = [name for name in table.names if _is_scheme(name, user)]
    of_users = {name: f"rater_{name}" for name in schemes if _describes_users(table.head, name, user)}
    answers, notes = answers_of(table.head, [name for name in schemes if name not in of_users])
    if options:
        notes = (*notes, f"One column per label: {listed(options)}; the one that holds true is the answer.")
    text = table.first("displayed_text", "text")

    def responses(line: int, row: Cells) -> Iterator[Response]:
        answered = {name: row[name] for name in answers}
        attributes = {column: row[name] for name, column in of_users.items()}
        yield Response(row["instance_id"], row[user], answered, {"text": row.get(text, ""), **attributes})

    scheme_names = {name: name.rpartition(":::")[0] or name for name in answers}
    questions = {name: _BEFORE_SCHEMES.sub("", scheme) for name, scheme in scheme_names.items()}
    return table_of(table, responses, questions, "the row holds no answer", notes=notes)


def _describes_users(rows: Sequence[Cells], name: str, user: str) -> bool:
    """Return True where each user has the same cell in all rows, and users differ: it says something of them."""
    counts = Counter((row[user], row[name]) for row in rows if row[name])
    is_constant = (
        len({user_of_cell for user_of_cell, _ in counts}) == len(counts) > 2 and min(counts.values()) > 1
    )
    return is_constant and len({cell for _, cell in counts}) > 1


def _is_scheme(name: str, user: str) -> bool:
    return name not in {user, *_ENVELOPE} and name.partition(".")[0] not in _BEHAVIOR


_LABELS_OF_INSTANCES = "instance_id_to_label_to_value"
_NO_ANSWER = "the user gave no answer"


def _user_state(table: Table, chosen: Chosen) -> Canonical:
    values_by_scheme: dict[str, dict[str, set[str]]] = {}
    for cell in filled(table.head, _LABELS_OF_INSTANCES):
        for answers in object_of(cell).values():
            for scheme, label, value in _labels(answers):
                values_by_scheme.setdefault(scheme, {}).setdefault(label, set()).add(text_of(value))
    by_key = {scheme for scheme, labels in values_by_scheme.items() if _are_keys([*labels.values()])}

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        items, user = object_of(row[_LABELS_OF_INSTANCES]).items(), row["user_id"]
        answered = {
            item: answers for item, content in items if (answers := _answers_of_user(content, by_key))
        }
        if not answered:
            yield Aside(line, _LABELS_OF_INSTANCES, _NO_ANSWER, user)
        for item, answers in answered.items():
            yield Response(item, user, answers, no_answer_cell=(_LABELS_OF_INSTANCES, user))

    note = "The file holds the answers of one user; Potato writes such a file for each."
    return table_of_questions(table, responses, _NO_ANSWER, notes=[note] if table.sniffed.rows == 1 else [])


def _are_keys(values: Sequence[set[str]]) -> bool:
    """Return True where each label of a scheme has its own number, the key that chooses it."""
    keys = set[str]().union(*values)
    return 1 < len(values) == len(keys) == sum(map(len, values)) and all(map(str.isdecimal, keys))


def _answers_of_user(content: Any, by_key: Container[str]) -> Mapping[str, str]:
    """Return the answers about an item by scheme; of a box that is ticked, or chosen by its key, its label is the
    answer."""
    schemes: dict[str, list[str]] = {}
    for scheme, label, value in _labels(content):
        text = text_of(value)
        if text.casefold() not in ("", "false"):
            ticked = text.casefold() in ("true", "1", "on") and not label.isdecimal()
            by_label = value is True or ticked or scheme in by_key
            schemes.setdefault(scheme, []).append(label if by_label else text)
    return {scheme: text_of(answers) for scheme, answers in schemes.items()}


def _labels(answers: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield scheme, label and value, in both ways that Potato writes them: as pairs, and as objects of objects."""
    if isinstance(answers, list):
        for pair in answers:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
                yield str(pair[0].get("schema", "")), str(pair[0].get("name", "")), pair[1]
    elif isinstance(answers, dict):
        for scheme, labels in answers.items():
            pairs = labels.items() if isinstance(labels, dict) else [(str(labels), labels)]
            yield from ((scheme, label, value) for label, value in pairs)


_ALL_WORKERS = "annotationsFromAllWorkers"


def _answers_in(content: Any, question: str = "") -> Iterator[tuple[str, Any]]:
    """Yield questions and answers of objects in objects; of boxes that are ticked, their labels are the answer."""
    if isinstance(content, dict) and content and all(isinstance(value, bool) for value in content.values()):
        yield question, [label for label, ticked in content.items() if ticked]
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _answers_in(value, question if len(content) == 1 and question else name)
    elif not isinstance(content, list) or not any(isinstance(value, list | dict) for value in content):
        yield question, content


def _ground_truth(table: Table, chosen: Chosen) -> Canonical:
    item = table.first("source-ref", "source")

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        for name, cell in row.items():
            workers = value_of(object_of(cell).get(_ALL_WORKERS) if _ALL_WORKERS in cell else None)
            for worker in map(object_of, workers if isinstance(workers, list) else ()):
                content = value_of(object_of(worker.get("annotationData")).get("content"))
                answers = {question: text_of(answer) for question, answer in _answers_in(content)}
                item_name, rater = row.get(item) or f"record {line}", text_of(worker.get("workerId"))
                yield Response(item_name, rater, answers, no_answer_cell=(name, ""))

    return table_of_questions(table, responses, "the worker gave no answer that is a label or a number")


_OF_ZOONIVERSE = {"classification_id", "user_name", "subject_ids", "annotations"}


def _zooniverse(table: Table, chosen: Chosen) -> Canonical:
    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        tasks = objects_of(row["annotations"])
        answers = {text_of(task.get("task_label") or task.get("task")): _answer_of(task) for task in tasks}
        cells = {"submitted": row.get("created_at", "")}
        yield Response(row["subject_ids"], row["user_name"], answers, cells)

    return table_of_questions(
        table, responses, "the classification holds no answer that is a label or a number"
    )


def _answer_of(task: Mapping[str, Any]) -> str:
    """Return the answer to a task; "" for marks in a picture and the like, which are objects."""
    value = task.get("value")
    parts = value if isinstance(value, list) else [value]
    return "" if any(isinstance(part, dict | list) for part in parts) else text_of(value)


_LABELS_OF_PROJECT = re.compile(r"projects\..+\.labels")


def _labelbox(table: Table, chosen: Chosen) -> Canonical:
    columns = [name for name in table.names if _LABELS_OF_PROJECT.fullmatch(name)]
    item = next(
        name for name in ("data_row.external_id", "data_row.id") if all(row.get(name) for row in table.head)
    )

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        text = row.get("data_row.row_data", "")
        labels = [label for name in columns for label in objects_of(row[name])]
        if not labels:
            yield Aside(line, columns[0], "the row has no label", "")
        for label in labels:
            keys = ("label_details", "performance_details", "annotations")
            details, performance, annotations = (object_of(label.get(key)) for key in keys)
            answers = {}
            for classification in objects_of(annotations.get("classifications")):
                answer = classification.get("checklist_answers") or [
                    classification.get("radio_answer") or classification.get("text_answer")
                ]
                names = [text_of(option.get("name", option.get("content"))) for option in objects_of(answer)]
                answers[text_of(classification.get("name"))] = text_of(names) if names else ""
            cells = {"text": text, "submitted": text_of(details.get("created_at"))}
            seconds = text_of(performance.get("seconds_to_create"))
            yield Response(row[item], text_of(details.get("created_by")), answers, cells, seconds)

    return table_of_questions(table, responses, "the label holds no classification")


def _recognizes_labelbox(table: Table) -> bool:
    named = any(map(_LABELS_OF_PROJECT.fullmatch, table.names))
    return (
        named
        and not table.lower.isdisjoint({"data_row.external_id", "data_row.id"})
        and any(
            "label_details" in each
            for name in table.names
            if _LABELS_OF_PROJECT.fullmatch(name)
            for cell in filled(table.head, name)
            for each in objects_of(cell)
        )
    )


FORMATS = (
    Format("Prodigy", _recognizes_prodigy, _prodigy),
    Format("Argilla", _recognizes_argilla, _argilla, (SEVERAL,)),
    Format("Doccano", _recognizes_doccano, _doccano),
    Format(
        "Potato",
        lambda table: "instance_id" in table.names and any(user in table.names for user in _USERS),
        _potato,
        (SEVERAL,),
    ),
    Format(
        "Potato user state",
        lambda table: {"user_id", _LABELS_OF_INSTANCES} <= {*table.names},
        _user_state,
        (SEVERAL,),
    ),
    Format(
        "SageMaker Ground Truth",
        lambda table: any(f'"{_ALL_WORKERS}"' in cell for row in table.head for cell in row.values()),
        _ground_truth,
        (SEVERAL,),
    ),
    Format("Zooniverse", lambda table: table.lower >= _OF_ZOONIVERSE, _zooniverse, (SEVERAL,)),
    Format("Labelbox", _recognizes_labelbox, _labelbox, (SEVERAL,)),
)
