import pytest

from longfat.results.ledger import LedgerRow, by_factor, causes_above, ledger_rows, shares_of


def metrics(useful: float) -> dict[str, float]:
    return {"efficiency": 0.9, "share_useful": useful, "share_idle_timeout": 1 - useful}


LAN, WAN = (("config", "lan"), ("policy", "epd")), (("config", "wan"), ("policy", "epd"))
OTHER = (("config", "wan"), ("policy", "ubr"))


def test_the_shares_of_a_run_are_among_its_metrics() -> None:
    assert shares_of(metrics(0.75)) == {"useful": 0.75, "idle_timeout": 0.25}
    assert shares_of({"efficiency": 0.9}) == {}


def test_a_ledger_is_the_mean_of_replications_and_0_only_stands_in_for_them() -> None:
    rows = ledger_rows(
        {
            LAN: {0: metrics(0.0), 1: metrics(0.5), 2: metrics(1.0)},
            WAN: {0: metrics(0.25)},
        }
    )
    assert rows == [
        LedgerRow(LAN, {"useful": 0.75, "idle_timeout": 0.25}, 2),
        LedgerRow(WAN, {"useful": 0.25, "idle_timeout": 0.75}, 1),
    ]


def test_runs_of_engines_without_a_ledger_are_left_out() -> None:
    old = {"efficiency": 0.9}
    rows = ledger_rows({LAN: {1: old, 2: metrics(0.5)}, WAN: {1: old}, OTHER: {}})
    assert rows == [LedgerRow(LAN, {"useful": 0.5, "idle_timeout": 0.5}, 1)]


def test_the_ledger_of_a_level_is_the_mean_of_its_combinations() -> None:
    rows = ledger_rows(
        {LAN: {1: metrics(0.5)}, WAN: {1: metrics(0.25), 2: metrics(0.25)}, OTHER: {1: metrics(1)}}
    )
    (lan, wan) = by_factor(rows, "config")
    assert (lan.levels, lan.runs) == ((("config", "lan"),), 1)
    assert (wan.levels, wan.runs) == ((("config", "wan"),), 3)
    assert wan.shares["useful"] == pytest.approx(0.625)
    only_one_has_it = [*rows, LedgerRow((("z", "0.5"),), rows[0].shares, 1)]
    assert len(by_factor(only_one_has_it, "z")) == 1


def test_causes_that_matter_in_any_row_are_kept_in_the_order_of_ledgers() -> None:
    rows = [
        LedgerRow(LAN, {"useful": 0.9, "duplicate": 0.0, "idle_timeout": 0.1}, 1),
        LedgerRow(WAN, {"useful": 0.5, "duplicate": 0.0001, "idle_timeout": 0.4}, 1),
    ]
    assert causes_above(rows, 0.001) == ["useful", "idle_timeout"]
    assert causes_above(rows, 0.0001) == ["useful", "duplicate", "idle_timeout"]
