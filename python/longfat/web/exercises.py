"""Exercises of the page for teachers: question, scenario, and the answer for those who ask."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from longfat.web.settings import Settings, settings_of
from longfat.web.view import Unknown

_EXERCISE = re.compile(r"^## (\d+)\. (.+?)$\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_SCENARIO = re.compile(r"<<'END'\n(.*?)^END$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"<summary>Answer</summary>\n(.*?)</details>", re.DOTALL)
_STUDY = re.compile(r"studies/([a-z0-9-]+)/README")
_LEFT_OUT = re.compile(
    r"^```\w+\n[^\n]*<<'END'.*?^```$|<(pre|details)>.*?</\1>|<!-- BEGIN.*?<!-- END.*?-->",
    re.MULTILINE | re.DOTALL,
)
"""Parts that are not of the question: scenario files, the output of commands, and the answer."""


class Exercise(NamedTuple):
    """Texts are Markdown. It has the settings of its scenario, or else the study it is about."""

    number: int
    title: str
    question: str
    answer: str
    settings: Settings | None
    study: str | None


@cache
def exercises() -> Mapping[int, Exercise]:
    """Return the exercises of `docs/guide/teaching.md` by number."""
    page = files("longfat.shipped").joinpath("teaching.md").read_text(encoding="utf-8")
    found = (_exercise(int(number), *rest) for number, *rest in _EXERCISE.findall(page))
    return {exercise.number: exercise for exercise in found}


def _exercise(number: int, title: str, text: str) -> Exercise:
    answer = _ANSWER.search(text)
    scenario, study = _SCENARIO.search(text), _STUDY.search(text)
    return Exercise(
        number=number,
        title=title,
        question=_LEFT_OUT.sub("", text),
        answer=answer[1] if answer else "",
        settings=settings_of(tomllib.loads(scenario[1])) if scenario else None,
        study=study[1] if study and not scenario else None,
    )


def exercise_document(number: int) -> dict[str, Any]:
    """Return an exercise without its answer. Raises `Unknown` if there is none of this number."""
    found = _find(number)
    shown = found._asdict() | {"question": _html(found.question)}
    del shown["answer"]
    return shown


def answer_document(number: int) -> dict[str, str]:
    """Return the answer of an exercise. Raises `Unknown` if there is none of this number."""
    return {"answer": _html(_find(number).answer)}


def titles() -> list[dict[str, Any]]:
    """Return number and title of each exercise."""
    return [{"number": each.number, "title": each.title} for each in exercises().values()]


def _find(number: int) -> Exercise:
    if number not in exercises():
        raise Unknown(f"there is no exercise {number}; exercises: 1 to {len(exercises())}")
    return exercises()[number]


def _html(text: str) -> str:
    """Return Markdown as HTML. Links lead elsewhere in the documents, and are left out."""
    from markdown_it import MarkdownIt

    rendered: str = MarkdownIt("commonmark", {"html": False}).render(text)
    return re.sub(r"</?a\b[^>]*>", "", rendered)
