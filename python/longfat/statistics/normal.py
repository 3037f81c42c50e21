"""Normal quantiles of ranks, for quantile-quantile plots."""

from statistics import NormalDist


def normal_quantile(rank: int, count: int) -> float:
    """Return the standard normal quantile of a rank from 1 to `count`.

    The plotting position is (rank - 3/8) / (count + 1/4) (G. Blom, 1958).
    """
    return NormalDist().inv_cdf((rank - 0.375) / (count + 0.25))
