"""Factors of a study: checks of their names, and of settings that overwrite each other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longfat import _engine
from longfat.base.errors import BadInput
from longfat.scenarios.scenario import Overrides
from longfat.studies.reference import DOUBTFUL, NOTE, Combination

RESERVED = frozenset(
    {
        *_engine.METRICS,
        *("replication", "scenario", "completions", "position"),
        *("table_name", "table", "response", "metric", "value", DOUBTFUL, NOTE),
        *("run_id", "stored", "fingerprint", "differences", "runs", "replications", "level"),
        *("reference", "ours", "deterministic", "mean", "min", "max", "low", "high"),
        *("mean_low", "mean_high"),
        *("buffer_size", "buffer_unit", "covariance", "cautions"),
        *(
            f"{metric}_{number}"
            for metric in ("efficiency", "fairness")
            for number in ("reference", DOUBTFUL, "mean", "min", "max", "deviation")
        ),
        *(f"{metric}_deviation" for metric in _engine.METRICS),
    }
)
"""Reserved names: columns beside those of factors in SQL, reference tables and data.

With two columns of one name, SQL and data would silently use one of them."""


@dataclass(frozen=True)
class Factor:
    """A factor: its levels by name, each with its overrides."""

    name: str
    levels: Mapping[str, Overrides]

    def place(self, file: Path) -> str:
        """Return its place in the study file, which is that of its first override."""
        origins = (override.origin for level in self.levels.values() for override in level)
        return f'{next(origins, file)}: factors: "{self.name}"'


def check_names(factors: Sequence[Factor], file: Path) -> None:
    """Raise `BadInput` for names of other columns, compared as in SQL."""
    problems = []
    seen: dict[str, str] = {}
    for factor in factors:
        folded = factor.name.lower()
        if folded in RESERVED:
            problem = "a column of results has this name"
            problems.append(f"{factor.place(file)}: {problem}; give the factor another one")
        elif folded in seen:
            problem = f'differs from "{seen[folded]}" in case only, and SQL takes both for one'
            problems.append(f"{factor.place(file)}: {problem}; give one of them another name")
        seen.setdefault(folded, factor.name)
    if problems:
        raise BadInput(problems)


def check_levels(factor: Factor, names: Sequence[str], file: Path) -> None:
    """Raise `BadInput` if two of the levels, as written, are equal."""
    counts = Counter(map(_compared, names))
    twice = [name for name in factor.levels if counts[_compared(name)] > 1]
    if twice:
        problem = f"the same level stands twice: {', '.join(twice)}"
        raise BadInput([f"{factor.place(file)}: {problem}; leave one of them out"])


def check_settings(
    factors: Sequence[Factor], combinations: Iterable[Combination], file: Path
) -> None:
    """Raise `BadInput` for a factor with a setting that a later factor always overwrites.

    A later factor may overwrite a setting in some levels. But a setting without any effect would
    make identical runs appear to differ.
    """
    lost = _lost_paths(factors, combinations)
    problems = [
        f'{factor.place(file)}: it sets {path}, which "{later}" always sets again; '
        "let one of them set it"
        for factor in factors
        for path, later in lost.get(factor.name, {}).items()
        if _always_sets(factor, path)
    ]
    if problems:
        raise BadInput(problems)


def _compared(level: str) -> float | str:
    """Return a level as SQL compares it: 2 equals 2.0."""
    try:
        return float(level)
    except ValueError:
        return level


def _lost_paths(
    factors: Sequence[Factor], combinations: Iterable[Combination]
) -> dict[str, dict[str, str]]:
    """Return by factor the paths it sets without effect, with the factor that overwrites each."""
    shared = _shared_paths(factors)
    if not shared:
        return {}
    levels = {factor.name: factor.levels for factor in factors}
    acting: set[tuple[str, str]] = set()
    again: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for combination in combinations:
        later: dict[str, str] = {}
        for name, level in reversed(combination):
            paths = [override.path for override in levels[name][level] if override.path in shared]
            for path in paths:
                if path in later:
                    again[name][path] = later[path]
                else:
                    acting.add((name, path))
            later.update(dict.fromkeys(paths, name))
    return {
        name: {path: other for path, other in paths.items() if (name, path) not in acting}
        for name, paths in again.items()
    }


def _shared_paths(factors: Sequence[Factor]) -> set[str]:
    """Return the paths that several factors set."""
    counts = Counter(path for factor in factors for path in set(_paths(factor)))
    return {path for path, count in counts.items() if count > 1}


def _paths(factor: Factor) -> Iterator[str]:
    return (override.path for level in factor.levels.values() for override in level)


def _always_sets(factor: Factor, path: str) -> bool:
    """True if all levels set a path, or one sets nothing else."""
    sets = [{override.path for override in level} for level in factor.levels.values()]
    return all(path in paths for paths in sets) or {path} in sets
