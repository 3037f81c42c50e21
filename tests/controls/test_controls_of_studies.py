"""Congestion controls that a study brings along."""

from pathlib import Path

import pytest

import longfat
from longfat.studies.definition import load_study
from tests.controls.test_controls import EXAMPLES, ROOT
from tests.support import Longfat


def study_with_control(folder: Path, control: str = "control.py") -> Path:
    """A study of two values of a parameter of its own control."""
    (folder / "scenario.toml").write_text(
        'schema_version = 1\nduration = "1 s"\nport.buffer = "1000 cells"\n'
        'topology = { kind = "n-source", sources = 2, '
        'access.delay = "5 ms", bottleneck.delay = "5 ms" }\n'
        'tcp.flavor = { kind = "external", control = "mine", recovery = "newreno" }\n'
    )
    (folder / "study.toml").write_text(
        f'schema_version = 1\ntitle = "Mine"\ncontrols.mine = "{control}"\n'
        '[design]\nkind = "full-factorial"\nreplications = 1\n'
        '[factors]\n"tcp.flavor.parameters.beta" = [0.5, 0.8]\n'
    )
    (folder / "control.py").write_text((EXAMPLES / "reno.py").read_text())
    return folder


def test_a_study_brings_its_controls_along(tmp_path: Path) -> None:
    study_with_control(tmp_path)
    study = longfat.study(tmp_path, store=tmp_path / "runs.db")
    study.run()
    assert study.runs().height == 4
    (tmp_path / "control.py").write_text("# changed\n" + (EXAMPLES / "reno.py").read_text())
    changed = longfat.study(tmp_path, store=tmp_path / "runs.db")
    with pytest.warns(UserWarning, match="no such run"):
        assert changed.runs().height == 0, "runs of another version are others"


def test_to_read_a_study_executes_nothing_of_it(tmp_path: Path) -> None:
    study_with_control(tmp_path)
    (tmp_path / "control.py").write_text("raise RuntimeError('executed')")
    study = load_study(tmp_path)
    assert list(study.controls) == ["mine"]
    with pytest.raises(longfat.InvalidInput, match=r"control\.py:1: RuntimeError: executed"):
        longfat.study(tmp_path, store=tmp_path / "runs.db").run()


def test_a_control_that_ends_python_ends_longfat_with_the_place(
    tmp_path: Path, longfat: Longfat
) -> None:
    study_with_control(tmp_path)
    (tmp_path / "control.py").write_text("raise SystemExit('enough')\n")
    of_study = longfat("study", "run", tmp_path)
    of_scenario = longfat("run", tmp_path / "scenario.toml", "--control", "mine=control.py")
    for done in (of_study, of_scenario):
        assert (done.returncode, done.stdout) == (2, "")
        assert "control.py:1: SystemExit: enough" in done.stderr


def test_controls_of_a_study_are_files_of_its_folder(tmp_path: Path) -> None:
    study_with_control(tmp_path, "../control.py")
    with pytest.raises(
        longfat.InvalidInput, match=r"controls\.mine: \"\.\./control\.py\" leads out"
    ):
        load_study(tmp_path)
    study_with_control(tmp_path, "missing.py")
    with pytest.raises(longfat.LongfatError, match=r"missing\.py: no such file"):
        load_study(tmp_path)


def test_an_invalid_name_is_reported_with_the_study_that_has_it(tmp_path: Path) -> None:
    study_with_control(tmp_path)
    file = tmp_path / "study.toml"
    file.write_text(file.read_text().replace("controls.mine", "controls.learner"))
    with pytest.raises(
        longfat.InvalidInput, match=r"study\.toml: controls: 'learner' is the agent"
    ):
        load_study(tmp_path)


def test_a_newcomer_meets_the_others(tmp_path: Path) -> None:
    study = longfat.study(ROOT / "examples" / "newcomer", store=tmp_path / "runs.db", quick=True)
    study.run()
    beside_cubic = study.runs().filter(first="newcomer", second="cubic", queue="tail-drop")
    assert max(beside_cubic["first_group_share"].to_list()) < 0.1, (
        "who goes by delay has no chance there"
    )
    among_its_own = study.runs().filter(first="newcomer", second="newcomer")
    assert min(among_its_own["efficiency"].to_list()) > 0.9
