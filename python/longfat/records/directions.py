"""Direction of metrics: whether more or less of one is better, as the engine declares it."""

from typing import Literal, NamedTuple

from longfat._engine import DECLARED_METRICS, METRICS
from longfat.base.errors import LongfatError
from longfat.base.suggestions import nearest_or_known
from longfat.records.completions import DELIVERED_SHARE, is_of_completions, is_time

MORE_IS_BETTER = frozenset(name for name, _, better, _ in DECLARED_METRICS if better == "more")
LESS_IS_BETTER = frozenset(name for name, _, better, _ in DECLARED_METRICS if better == "less")
_DECLARED = frozenset(METRICS)
_SHARES = frozenset(name for name, _, _, is_share in DECLARED_METRICS if is_share)


def is_share(metric: str) -> bool:
    """Whether a metric is a share, at most 1."""
    return metric in _SHARES or metric.endswith(f" {DELIVERED_SHARE}")


class DescribedMetric(NamedTuple):
    """Description of a metric; `better` is its direction, None if it has none."""

    name: str
    better: Literal["more", "less"] | None
    what: str


def described_metrics() -> list[DescribedMetric]:
    """Return all metrics of runs, in the order of records, as the engine describes them."""
    return [
        DescribedMetric(name, better, _sentence(name, text))
        for name, text, better, _ in DECLARED_METRICS
    ]


def _sentence(name: str, text: str) -> str:
    what = text.strip().replace("`", "")
    if not name.startswith("share_"):
        return what
    idle = "Nothing to send: "
    if what.startswith(idle):
        return f"Share of the bottleneck's time with nothing to send: {what.removeprefix(idle)}"
    return f"Share of the bottleneck's time that went into {what[0].lower()}{what[1:]}"


def check_target(metric: str, target: float, *, of_largest: bool) -> None:
    """Raise `LongfatError` for a target that no run can reach, such as 90 for 90 %.

    With `of_largest`, the target is a share of the value at the largest setting.
    """
    beyond = is_more_better(metric) if of_largest else is_share(metric)
    if beyond and target > 1:
        what = "what the largest setting yields" if of_largest else metric
        said = f"{what} is 1 at most, and {target:g} is asked for"
        percent = f"; {target:g} % are {target / 100:g}" if target <= 100 else ""
        raise LongfatError(said + percent)


def is_more_better(metric: str) -> bool:
    """Whether more of a metric is better.

    Raises `LongfatError` for a metric without a direction, and for an unknown one; the message
    lists the metrics that have one.
    """
    judged = sorted(MORE_IS_BETTER | LESS_IS_BETTER)
    if metric in _DECLARED.difference(judged):
        raise LongfatError(
            f"of {metric} neither more nor less is better; of these one is: {', '.join(judged)}"
        )
    if is_of_completions(metric):
        return not is_time(metric)
    if metric not in judged:
        raise LongfatError(f"no metric is called {metric!r}{nearest_or_known(metric, judged)}")
    return metric in MORE_IS_BETTER
