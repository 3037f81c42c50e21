"""Data of a view: a store, studies and limits; the store is opened read-only for each request."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock
from typing import Any, TypeVar

from longfat import _engine
from longfat.analysis.cautions import Paths
from longfat.analysis.run_length import path_of
from longfat.base.errors import LongfatError, StoreGone
from longfat.base.location import shown
from longfat.report.study_report.contents import Said
from longfat.running.limits import Limits
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study, shipped_studies, shipped_study
from longfat.studies.plan import Plan, Selection, plan_design

Of = TypeVar("Of")

MOST_EVENTS = 300_000_000
"""Default limit of a request's events: some ten seconds of one core."""
MOST_WALL_SECONDS = 30.0
MOST_MEMORY_BYTES = 2**30


def default_limits() -> Limits:
    """Return the default limits of a request."""
    machine = Limits.of_machine().memory_bytes or MOST_MEMORY_BYTES
    return Limits(MOST_EVENTS, MOST_WALL_SECONDS, min(MOST_MEMORY_BYTES, machine))


class Unknown(LongfatError):
    """An unknown study, or part of a study."""


@dataclass(frozen=True)
class View:
    """A store at a PATH or URL, and the paths of studies besides the shipped ones."""

    location: str
    own_studies: Sequence[str] = ()
    limits: Limits = field(default_factory=default_limits)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _plans: dict[str, Plan] = field(default_factory=dict)
    _remembered: dict[str, Any] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _planning: Lock = field(default_factory=Lock)

    @cached_property
    def studies(self) -> dict[str, StudyDefinition]:
        """Studies by name, the user's own first.

        Raises `LongfatError` and `longfat.InvalidInput` for a study that cannot be loaded, and for
        two with the same name.
        """
        studies: dict[str, StudyDefinition] = {}
        shipped = [str(shipped_study(name)) for name in shipped_studies()]
        for source in [*self.own_studies, *shipped]:
            study = load_study(source)
            if study.name not in studies:
                studies[study.name] = study
            elif source in self.own_studies:
                first = studies[study.name].folder
                raise LongfatError(f"{source}: a study called {study.name!r} is shown from {first}")
        return studies

    @property
    def studies_with_controls(self) -> Sequence[str]:
        """The user's own studies if any of them has brought a control, which runs may need."""
        _ = self.studies
        return self.own_studies if _engine.provided_controls() else ()

    def store(self) -> Store:
        """Open the store read-only; a context manager.

        Raises `StoreGone` if there was a store before, and none is there now.
        """
        opened = Store.readable(self.location)
        if opened.is_new and self._seen:
            raise StoreGone(f"{opened.name}: it was deleted or moved while it was shown")
        if not opened.is_new:
            self._seen.add(self.location)
        return opened

    def study(self, name: str) -> StudyDefinition:
        """Return the study of this name. Raises `Unknown` if there is none."""
        if name not in self.studies:
            raise Unknown(f"no study is called {name!r}; studies: {', '.join(self.studies)}")
        return self.studies[name]

    def command_to_run(self, study: StudyDefinition, where: str | None = None) -> str:
        """Return the command for the missing runs of a study, or of a part of it."""
        is_shipped = study.folder.resolve() == shipped_study(study.name)
        named = study.name if is_shipped else str(study.folder)
        return Said(named, where=where, store=shown(self.location)).command("study run")

    def remembered(self, name: str, make: Callable[[], Of]) -> Of:
        """Return a value that depends on nothing stored; it is made the first time."""
        if name not in self._remembered:
            self._remembered[name] = make()
        found: Of = self._remembered[name]
        return found

    def paths(self, plan: Plan) -> Paths:
        """Return the time constants of a plan's scenarios, computed once for each."""
        found = {}
        for combination, scenario in plan.scenarios.items():
            make = partial(path_of, scenario.settings)
            found[combination] = self.remembered(f"path of {scenario.series}", make)
        return found

    def plan(self, name: str) -> Plan:
        """Return the plan of a study's design, computed once.

        Raises `Unknown` for an unknown study.
        """
        study = self.study(name)
        with self._planning:
            if name not in self._plans:
                self._plans[name] = plan_design(study, Selection())
            return self._plans[name]
