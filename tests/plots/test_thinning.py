"""Thinning of series with more points than a picture shows."""

from longfat.plots.thinning import POINTS_ON_PAPER, thinned


def test_thinning_keeps_extremes_and_the_end() -> None:
    times = [float(place) for place in range(100_000)]
    values = [float(place * 7919 % 10_007) for place in range(100_000)]
    x, y = thinned(times, values)
    assert len(x) <= POINTS_ON_PAPER + 4
    assert (max(y), min(y), x[-1], x[0]) == (max(values), min(values), times[-1], times[0])
    assert x == sorted(x)


def test_a_thinned_staircase_has_the_right_value_where_it_is_constant() -> None:
    # Bursts of many lengths, each before a rest of 1 s at a value that is no extreme.
    bursts = [50 + burst * 83 % 850 for burst in range(30)]
    times: list[float] = []
    values: list[float] = []
    for burst, length in enumerate(bursts):
        times += [burst + place * 1e-5 for place in range(length)]
        values += [float(place * 7919 % 997) for place in range(length - 1)] + [400.5 + burst]
    x, y = thinned(times, values, 400)
    for burst in range(len(bursts)):
        held = [value for time, value in zip(x, y, strict=True) if time < burst + 0.5][-1]
        assert held == 400.5 + burst
    assert len(x) <= 2 * 400
