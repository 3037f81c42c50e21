"""What a view is of: a store, studies, limits; opened read-only for each question."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from longfat.base.errors import LongfatError
from longfat.base.location import shown
from longfat.report.study_report.contents import Said
from longfat.running.limits import Limits
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study, shipped_studies, shipped_study
from longfat.studies.plan import Plan, Selection, plan_design

MOST_EVENTS = 300_000_000
"""Some ten seconds of one core: what a page may ask for."""
MOST_WALL_SECONDS = 30.0
MOST_MEMORY_BYTES = 2**30


def default_limits() -> Limits:
    """What one request may make the engine do, unless the user says otherwise."""
    machine = Limits.of_machine().memory_bytes or MOST_MEMORY_BYTES
    return Limits(MOST_EVENTS, MOST_WALL_SECONDS, min(MOST_MEMORY_BYTES, machine))


class Unknown(LongfatError):
    """A study or a part of one that does not exist."""


@dataclass(frozen=True)
class View:
    """A store as PATH or URL, and the studies to show besides the shipped ones, by path."""

    location: str
    own_studies: Sequence[str] = ()
    limits: Limits = field(default_factory=default_limits)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _plans: dict[str, Plan] = field(default_factory=dict)
    _planning: Lock = field(default_factory=Lock)

    @cached_property
    def studies(self) -> dict[str, StudyDefinition]:
        """The studies by name, the user's own first.

        Raises `LongfatError` and `longfat.InvalidInput` for a study that cannot be loaded, and for
        two of one name.
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

    def store(self) -> Store:
        """The store, read-only; a context manager."""
        return Store.readable(self.location)

    def study(self, name: str) -> StudyDefinition:
        """The study of this name. Raises `Unknown` if there is none."""
        if name not in self.studies:
            raise Unknown(f"no study is called {name!r}; studies: {', '.join(self.studies)}")
        return self.studies[name]

    def command_to_run(self, study: StudyDefinition, where: str | None = None) -> str:
        """What to type for the runs of a study, or of a part of it, that are missing."""
        is_shipped = study.folder.resolve() == shipped_study(study.name)
        named = study.name if is_shipped else str(study.folder)
        return Said(named, where=where, store=shown(self.location)).command("study run")

    def plan(self, name: str) -> Plan:
        """What a study's design asks for, worked out once. Raises `Unknown` for no such study."""
        study = self.study(name)
        with self._planning:
            if name not in self._plans:
                self._plans[name] = plan_design(study, Selection())
            return self._plans[name]
