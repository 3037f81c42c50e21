"""Harm: the share of its solo performance that a connection loses to a competitor.

R. Ware, M. Mukerjee, S. Seshan, J. Sherry, *Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms*, ACM HotNets 2019: 0 if the competitor makes no
difference, 1 if nothing is left; below 0 if the competitor improves performance. Unlike a fairness
index, harm has a direction, from one connection to another, and is defined for any metric.
"""


def harm_to_more_is_better(alone: float, beside: float) -> float:
    """Return the harm for a metric of which more is better, such as throughput.

    It is (alone - beside) / alone, without a unit. Raises `ValueError` unless `alone` is positive.
    """
    if alone <= 0:
        raise ValueError(f"harm is relative to what there is alone, which is {alone}")
    return (alone - beside) / alone


def harm_to_less_is_better(alone: float, beside: float) -> float:
    """Return the harm for a metric of which less is better, such as a delay.

    It is (beside - alone) / beside, without a unit. Raises `ValueError` unless `beside` is
    positive.
    """
    if beside <= 0:
        raise ValueError(f"harm is relative to the time beside the other, which is {beside}")
    return (beside - alone) / beside
