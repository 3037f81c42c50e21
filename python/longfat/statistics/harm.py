"""Harm: how much of what a connection has by itself another takes from it.

R. Ware, M. Mukerjee, S. Seshan, J. Sherry, *Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms*, ACM HotNets 2019: 0 where the other makes no
difference, 1 where nothing is left; below 0 where the other is of use. Unlike a share or an index
of fairness it says who does it to whom, and it is defined for whatever users care about.
"""


def harm_to_more_is_better(alone: float, beside: float) -> float:
    """The harm in a throughput, or anything of which more is better: (alone - beside) / alone.

    Raises `ValueError` for nothing alone, from which nothing can be taken.
    """
    if alone <= 0:
        raise ValueError(f"harm is relative to what there is alone, which is {alone}")
    return (alone - beside) / alone


def harm_to_less_is_better(alone: float, beside: float) -> float:
    """The harm in a delay or a completion time: (beside - alone) / beside.

    Raises `ValueError` for no time beside another.
    """
    if beside <= 0:
        raise ValueError(f"harm is relative to the time beside the other, which is {beside}")
    return (beside - alone) / beside
