"""Messages on the number of replications of a study and the precision of its means."""

from collections.abc import Iterator

from longfat.base.numbers import percentage
from longfat.cli.options import WHOLE, study_command
from longfat.results.sequential import HalfWidth, Needed
from longfat.studies.definition import StudyDefinition


def precision_lines(study: StudyDefinition, found: Needed) -> Iterator[str]:
    """Yield the number of replications, and the widest interval for each target metric."""
    words = "are enough" if found.are_enough else "so far"
    if is_missed(study, found):
        words = "are not enough"
    yield f"replications: {found.replications} {words} (at most {study.design.replications})"
    confidence = percentage(study.design.precision.confidence)
    for width in found.least_known:
        levels = ", ".join(f"{factor} {level}" for factor, level in width.combination)
        yield (
            f"{width.target.metric}: {_known(width)} ({confidence}% confidence; least known: "
            f"{levels})"
        )
    yield from never_known_lines(found)


def is_missed(study: StudyDefinition, found: Needed) -> bool:
    """True if all replications that the study may have are done and the targets are missed."""
    is_spent = not found.is_open and found.replications == study.design.replications
    return is_spent and not found.are_enough


def missed_lines(found: Needed) -> Iterator[str]:
    """Yield the means that miss their target."""
    for width in found.least_known:
        if not width.is_reached:
            yield f"{width.target.metric}: {_known(width)}"


def never_known_lines(found: Needed) -> Iterator[str]:
    """Yield the metrics whose means no number of replications determines."""
    for metric in found.never_known:
        yield f"{metric}: no factor combination has it in every replication: it is never known"


def open_number(study: StudyDefinition, name: str, store: str) -> str:
    """Return the advice if the number of replications depends on missing runs of the design."""
    return (
        f"how many replications {study.name} needs is open until all of its design has run:\n"
        f"  {study_command('run', name, WHOLE, store)}"
    )


def _known(width: HalfWidth) -> str:
    if width.target.is_relative:
        return (
            f"known to {100 * width.share:.3g} % of the mean or better, wanted "
            f"{100 * width.target.half_width:.3g} %"
        )
    return f"known to {width.half_width:.3g} or better, wanted {width.allowed:.3g}"
