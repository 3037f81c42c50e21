"""Of which metrics more is better, of which less, and of which neither."""

from typing import Literal, NamedTuple

from longfat.base.errors import LongfatError
from longfat.base.slips import nearest_or_known
from longfat.records.completions import DELIVERED_SHARE, is_of_completions, is_time

MORE_IS_BETTER = frozenset(
    {
        *("efficiency", "goodput_bps", "share_useful"),
        *("fairness", "max_min_fairness", "excess_fairness", "least_share_of_mcr"),
        "granted_capacity_used",
    }
)

LESS_IS_BETTER = frozenset(
    {
        *("max_queue_cells", "mean_queue_cells"),
        *("mean_queueing_delay_s", "queueing_delay_p95_s", "queueing_delay_p99_s"),
        "mean_round_trip_s",
        *("cell_loss_ratio", "clp0_frame_loss_ratio", "clp1_frame_loss_ratio", "packets_lost"),
        *("timeouts", "share_idle_timeout", "share_idle_recovery"),
        *("share_idle_opening", "share_idle_slow_start", "share_idle_congestion_avoidance"),
        *("share_idle_receiver_window", "share_duplicate", "share_beyond_hole", "share_incomplete"),
    }
)

NEITHER_IS_BETTER = frozenset(
    {
        *("offered_bps", "max_goodput_bps", "first_group_share", "packet_mark_ratio"),
        *("share_vbr", "share_background", "share_control", "share_under_way"),
        *("share_idle_no_data", "max_proxy_bytes", "mean_granted_bps"),
    }
)
"""What is asked for, what could be had, who has it, and signals that are meant to be given."""


_SHARES = frozenset(
    {"efficiency", "fairness", "max_min_fairness", "excess_fairness", "granted_capacity_used"}
)


def is_share(metric: str) -> bool:
    """Whether a metric is a share of 1, which no run has more of."""
    return (
        metric in _SHARES
        or metric.startswith("share_")
        or metric.endswith(("_ratio", f" {DELIVERED_SHARE}"))
    )


class DescribedMetric(NamedTuple):
    """A metric, whether more or less of it is better (None if neither is), and what it is."""

    name: str
    better: Literal["more", "less"] | None
    what: str


def described_metrics() -> list[DescribedMetric]:
    """All metrics of runs, in the order of records, as the engine describes them."""
    from longfat import _engine

    def better(name: str) -> Literal["more", "less"] | None:
        if name in NEITHER_IS_BETTER:
            return None
        return "more" if is_more_better(name) else "less"

    texts = zip(_engine.METRICS, _engine.METRIC_TEXTS, strict=True)
    return [DescribedMetric(name, better(name), _sentence(name, text)) for name, text in texts]


def _sentence(name: str, text: str) -> str:
    what = text.strip().replace("`", "")
    if not name.startswith("share_"):
        return what
    idle = "Nothing to send: "
    if what.startswith(idle):
        return f"Share of the bottleneck's time with nothing to send: {what.removeprefix(idle)}"
    return f"Share of the bottleneck's time that went into {what[0].lower()}{what[1:]}"


def check_target(metric: str, target: float, *, of_largest: bool) -> None:
    """Raise `LongfatError` for a target beyond all that runs can yield, such as 90 for 90 %."""
    beyond = is_more_better(metric) if of_largest else is_share(metric)
    if beyond and target > 1:
        what = "what the largest setting yields" if of_largest else metric
        said = f"{what} is 1 at most, and {target:g} is asked for"
        percent = f"; {target:g} % are {target / 100:g}" if target <= 100 else ""
        raise LongfatError(said + percent)


def is_more_better(metric: str) -> bool:
    """Whether more of a metric is better, and not less.

    Raises `LongfatError` for a metric of which neither is, and for what is none, with the others.
    """
    judged = sorted(MORE_IS_BETTER | LESS_IS_BETTER)
    if metric in NEITHER_IS_BETTER:
        raise LongfatError(
            f"of {metric} neither more nor less is better; of these one is: {', '.join(judged)}"
        )
    if is_of_completions(metric):
        return not is_time(metric)
    if metric not in judged:
        raise LongfatError(f"no metric is called {metric!r}{nearest_or_known(metric, judged)}")
    return metric in MORE_IS_BETTER
