"""The client's types say what the service's schemas say."""

from types import NoneType
from typing import get_args, get_type_hints

import pytest
from minecheck_client import answers, options
from pydantic import BaseModel

from app.batch import lines
from app.questions import schemas
from app.routes import questions
from solvers import Task

#: Answers to questions and the parts they consist of, by the same names on both sides.
SHAPES = [
    name
    for name, model in vars(schemas).items()
    if name in vars(answers) and isinstance(model, type) and issubclass(model, BaseModel)
]


@pytest.mark.parametrize("name", SHAPES)
def test_answers_have_the_fields_of_the_service(name: str) -> None:
    ours, theirs = vars(answers)[name], vars(schemas)[name].model_fields
    assert set(get_type_hints(ours)) == set(theirs)
    optional = {field for field, info in theirs.items() if not info.is_required()}
    assert ours.__optional_keys__ == optional


def test_all_answers_are_there() -> None:
    assert {told.__name__ for _, _, told in questions._ANSWERS.values()} <= set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_what_may_be_null_is_the_same(name: str) -> None:
    ours, theirs = get_type_hints(vars(answers)[name]), vars(schemas)[name].model_fields
    null = {field for field, info in theirs.items() if NoneType in get_args(info.annotation)}
    assert {field for field, kind in ours.items() if NoneType in get_args(kind)} == null


@pytest.mark.parametrize("task", Task)
def test_options_are_those_of_the_service(task: Task) -> None:
    theirs = questions._ANSWERS[task][1]
    named = {"AskAnalyze": "AskCount"}.get(theirs.__name__, theirs.__name__)
    ours = get_type_hints(vars(options)[named])
    assert set(ours) - {"request_id"} == set(theirs.model_fields) - {"board"}


def test_a_batch_takes_what_its_tasks_take() -> None:
    fields: set[str] = set()
    for task in lines.TASKS:
        fields |= set(questions._ANSWERS[task][1].model_fields)
    told_by_line = {"board", "rules", "total_cells", "layout"}
    ours = set(get_type_hints(options.AskBatch)) - {"request_id", "gzip", "summary"}
    assert ours == fields - told_by_line
    assert set(get_args(options.BatchTask)) == {str(task) for task in lines.TASKS}
