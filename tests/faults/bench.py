"""A study under faults, and the laws that must hold after each of them.

Runs that the store showed before the fault are acknowledged. After the fault the store opens, has
all of them, and every stored run repeats exactly; the original command finishes the study, and its
table is equal to an undisturbed one to the byte.
"""

import random
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longfat.base.errors import LongfatError
from longfat.running.repeat import repeat
from longfat.store import Store
from longfat.store.schema import DONE
from longfat.studies.definition import load_study
from longfat.studies.plan import Plan, Selection, plan_design
from tests.faults.damage import answers, flip
from tests.waiting import PATIENCE_SECONDS, ended


@dataclass
class Tally:
    """Counts of the whole suite, printed at its end."""

    faults: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    lost: int = 0
    repeated: int = 0
    compared: int = 0
    wrong: int = 0
    falsely_stored: int = 0
    flips: Counter[str] = field(default_factory=Counter)
    tracebacks: int = 0

    def __str__(self) -> str:
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"faults: {faults}; {self.acknowledged} acknowledged runs, {self.lost} lost; "
            f"{self.repeated} runs repeated, {self.compared} stored ones compared with them, "
            f"{self.wrong} wrong; "
            f"{self.falsely_stored} called stored that were not; bits flipped: "
            f"{', '.join(f'{count} {name}' for name, count in sorted(self.flips.items()))}; "
            f"{self.tracebacks} tracebacks"
        )


class Bench:
    """The study, the command that runs it, and the table that an undisturbed one ends with."""

    def __init__(self, program: Path, study: Path, folder: Path, tally: Tally) -> None:
        self.tally = tally
        self.study = study
        self._program = program
        self.plan: Plan = plan_design(load_study(study), Selection())
        undisturbed = folder / "undisturbed.db"
        ended = self.run(undisturbed)
        assert ended.returncode == 0, ended.stderr
        self._table = self._compared(undisturbed)
        self._right: dict[str, tuple[Any, Any]] = {}

    def start(self, store: Path, *options: str) -> subprocess.Popen[str]:
        """Run the study, as a process to be disturbed."""
        command = [self._program, *self._arguments(store), *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, store: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the study until it ends."""
        return self._call(*self._arguments(store), *options)

    def acknowledged(self, store: Path) -> set[str]:
        """Return the runs that are done, as the store shows now."""
        try:
            with Store.readable(str(store)) as opened:
                statuses = self.plan.by_combination(opened.statuses(self.plan.hashes))
        except LongfatError:
            if not store.exists() or store.stat().st_size == 0:
                return set()  # not created yet
            raise
        return {
            run_id
            for run_id, run in self.plan.distinct.items()
            if statuses[run.combination].get(run.replication) == DONE
        }

    def struck(self, fault: str, store: Path, acknowledged: set[str], talk: str = "") -> None:
        """Check a store after a fault: nothing that was acknowledged is lost, nothing is wrong."""
        self.tally.faults[fault] += 1
        self.tally.acknowledged += len(acknowledged)
        self.tally.tracebacks += "Traceback" in talk
        assert "Traceback" not in talk, talk
        kept = self.acknowledged(store)
        lost = acknowledged - kept
        self.tally.lost += len(lost)
        assert not lost
        self._compare(store, sorted(kept))

    def gone(self, fault: str, process: subprocess.Popen[str], store: Path) -> None:
        """Check that a study noticed that its store was gone: exit code 1, and nothing "stored"."""
        said, talk = ended(process, "the study without a store")
        self.tally.faults[fault] += 1
        self.tally.tracebacks += "Traceback" in talk
        assert "Traceback" not in talk, talk
        claims = "are in" in talk or "finished runs are stored" in talk or process.returncode == 0
        self.tally.falsely_stored += claims
        assert not claims, talk
        assert process.returncode == 1, talk
        assert "while the store was open" in talk, talk
        assert "the same command" in talk, talk
        assert said == ""
        for file in (store, *store.parent.glob(f"{store.name}-*")):
            file.unlink(missing_ok=True)
        store.parent.mkdir(exist_ok=True)
        self.finish(store)

    def flipped(self, store: Path, damaged: Path, right: str, chance: random.Random) -> None:
        """Flip a random bit of a store: all that it says is the same, or it is refused."""
        place = flip(store, damaged, chance)
        self.tally.faults["bit flipped"] += 1
        said, refused = "", ""
        try:
            said = answers(damaged, self.plan)
        except LongfatError as error:
            refused = str(error)
        effect = "refused" if refused else "other answers" if said != right else "no effect"
        self.tally.flips[effect] += 1
        assert effect != "other answers", f"bit {place} changes what the store says"
        assert not refused or str(damaged) in refused

    def finish(self, store: Path) -> None:
        """Check that the original command finishes the study, with an undisturbed one's table."""
        ended = self.run(store)
        self.tally.tracebacks += "Traceback" in ended.stderr
        assert ended.returncode == 0, ended.stderr
        assert self.acknowledged(store) == self.plan.distinct.keys()
        with Store.readable(str(store)) as opened:
            health = opened.health()
        assert health == {"done": len(self.plan.distinct), "failed": 0, "check": "ok"}
        assert self._compared(store) == self._table

    def _compare(self, store: Path, run_ids: Sequence[str]) -> None:
        """Compare stored runs with their repetitions; a run is repeated once in the suite."""
        with Store.readable(str(store)) as opened:
            stored = opened.stored_runs(run_ids)
        new = [run for run in stored if run.run_id not in self._right]
        repetitions = repeat(new, 1, lambda _progress: None)
        wrong = {repetition.stored.run_id for repetition in repetitions if repetition.differences}
        self._right |= {run.run_id: (run.fingerprint, run.metrics) for run in new}
        wrong |= {
            run.run_id
            for run in stored
            if self._right[run.run_id] != (run.fingerprint, run.metrics)
        }
        self.tally.repeated += len(repetitions)
        self.tally.compared += len(stored)
        self.tally.wrong += len(wrong)
        assert not wrong

    def _compared(self, store: Path) -> str:
        compared = self._call("study", "compare", self.study, "--json", "--store", store)
        assert compared.returncode == 0, compared.stderr
        return compared.stdout

    def _arguments(self, store: Path) -> list[str | Path]:
        return ["study", "run", self.study, "--jobs", "2", "--store", store]

    def _call(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command: list[str | Path] = [self._program, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
