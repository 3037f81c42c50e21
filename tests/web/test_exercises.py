"""Exercises of the page for teachers are in the view, and their answers for those who ask."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from longfat.studies.definition import shipped_studies
from longfat.web.exercises import exercises
from longfat.web.server import PORT
from tests.web.conftest import played

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "teaching.md").read_text(encoding="utf-8")
SECTIONS = {
    int(text.partition(".")[0]): text for text in re.split(r"^## (?=\d)", PAGE, flags=re.M)[1:]
}
WITH_SCENARIO = [number for number, exercise in exercises().items() if exercise.settings]


def test_every_exercise_has_question_answer_and_a_scenario_or_a_study() -> None:
    assert list(exercises()) == list(SECTIONS) == list(range(1, len(SECTIONS) + 1))
    for exercise in exercises().values():
        assert "?" in exercise.question
        assert len(exercise.answer) > 50
        assert exercise.settings or exercise.study in shipped_studies()


def test_the_page_has_the_address_of_every_exercise() -> None:
    for number in exercises():
        assert f"(http://127.0.0.1:{PORT}/exercise/{number})" in PAGE


@pytest.mark.parametrize("number", WITH_SCENARIO)
def test_a_run_of_an_exercise_has_a_result_that_the_page_prints(
    client: TestClient, number: int
) -> None:
    settings = client.get(f"/api/exercises/{number}").json()["settings"]
    status, answer = played(client, settings)
    assert status == 200, answer
    found = re.search(r"<pre>.*?</pre>", SECTIONS[number], re.DOTALL)
    assert found is not None
    printed = [line.split() for line in found[0].splitlines() if "<!--" not in line]
    # `longfat run` counts packets where these travel whole, a record always cells.
    metrics = {
        name.replace("_cells", "_packets"): found for name, found in answer["metrics"].items()
    }
    shown = metrics.keys() & {word for words in printed for word in words}
    assert shown
    for metric in shown:
        values = [words[-1] for words in printed if metric in words]
        assert f"{metrics[metric]:.4g}" in values


@pytest.mark.parametrize("number", exercises())
def test_the_answer_is_not_in_the_question(client: TestClient, number: int) -> None:
    question = client.get(f"/api/exercises/{number}").json()
    answer = client.get(f"/api/exercises/{number}/answer").json()["answer"]
    assert "<p>" in answer
    assert answer not in str(question)
    assert "answer" not in question
    for text in (question["question"], answer):
        assert "<a" not in text
        assert not re.search("BEGIN|END|summary", text)


def test_an_unknown_exercise_is_refused_with_those_that_exist(client: TestClient) -> None:
    answer = client.get("/api/exercises/99")
    assert answer.status_code == 404
    assert "exercises: 1 to" in answer.json()["problems"][0]
