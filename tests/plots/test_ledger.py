from collections.abc import Sequence
from pathlib import Path

import pytest

from longfat.plots import draw, find
from longfat.plots.options import Options
from longfat.results.ledger import LedgerRow

CAUSES = ("useful", "duplicate", "under_way", "idle_slow_start", "idle_timeout")
SHARES = (0.6, 0.0001, 0.0999, 0.1, 0.2)


@pytest.fixture
def ledgers() -> list[LedgerRow]:
    return [
        LedgerRow(
            (("config", config), ("sources", sources), ("policy", policy)),
            dict(zip(CAUSES, SHARES, strict=True)),
            2,
        )
        for config in ("lan", "wan")
        for sources in ("5", "15")
        for policy in ("ubr", "epd")
    ]


def test_a_row_is_drawn_for_each_combination(ledgers: list[LedgerRow]) -> None:
    rows = find("ledger").collect(ledgers, Options())
    assert len(rows) == 8
    assert rows[0]["share_useful"] == pytest.approx(0.6)
    assert rows[0]["runs"] == 2
    assert rows[0]["sources"] == "5"


def test_bars_stand_in_panels_by_two_factors_and_add_up(ledgers: list[LedgerRow]) -> None:
    painting = draw("ledger", ledgers).matplotlib()
    assert [panel.get_title(loc="left") for panel in painting.axes] == ["ubr", "epd", "", ""]
    assert [panel.get_ylabel() for panel in painting.axes[::2]] == ["lan", "wan"]
    ticks = [text.get_text() for text in painting.axes[0].get_yticklabels()]
    assert ticks == ["sources 5", "sources 15"]
    ends = [patch.get_extents().x1 for patch in painting.axes[0].patches]
    edge = painting.axes[0].transData.transform((100, 0))[0]
    assert max(ends) == pytest.approx(edge, rel=1e-3)


def of_rates(rates: Sequence[str], flavors: Sequence[str] = ("sack", "vanilla")) -> list[LedgerRow]:
    """Two networks, two policies; the period and the number of sources are always the same."""
    return [
        LedgerRow(
            (("config", config), ("period", "300 ms"), ("sources", "5"), ("buffer", buffer),
             ("flavor", flavor), ("guaranteed_rate", rate), ("policy", policy)),
            dict(zip(CAUSES, SHARES, strict=True)),
            2,
        )
        for config in ("lan", "wan")
        for buffer in ("1000 cells", "3000 cells")
        for flavor in flavors
        for rate in rates
        for policy in ("ubr", "epd")
    ]  # fmt: skip


def test_what_all_bars_have_in_common_is_said_once_in_the_caption() -> None:
    drawn = draw("ledger", of_rates(["0.1"], flavors=["sack"]))
    panel = drawn.picture.panels[0][0]
    assert panel is not None
    assert panel.y.names == ["1000 cells", "3000 cells"]
    assert drawn.caption.endswith(
        ";\nall with period 300 ms, sources 5, flavor sack and guaranteed rate 0.1"
    )


def test_where_words_are_too_long_bars_have_levels_alone_and_the_caption_their_factors() -> None:
    drawn = draw("ledger", of_rates(["0", "0.1"]))
    panel = drawn.picture.panels[0][0]
    assert panel is not None
    assert panel.y.names[:3] == ["1000 cells, sack, 0", "1000 cells, sack, 0.1",
                                 "1000 cells, vanilla, 0"]  # fmt: skip
    assert len(set(panel.y.names)) == len(panel.y.names)
    assert "; bars by buffer, flavor and guaranteed rate;\nall with period" in drawn.caption


def of_settings(name: str, levels: Sequence[str | None]) -> list[LedgerRow]:
    """A network and a policy; bars differ in this factor alone, which one of None does not have."""
    return [
        LedgerRow(
            (("config", "lan"), ("policy", "ubr"), *([(name, level)] if level else [])),
            dict(zip(CAUSES, SHARES, strict=True)),
            1,
        )
        for level in levels
    ]


@pytest.mark.parametrize(
    ("name", "levels", "labels"),
    [
        ("rate", ["0", "0.1"], ["rate 0", "rate 0.1"]),
        (
            "mean_rate_of_the_other_traffic_there",
            ["0", "0.1"],
            ["mean rate of the other traffic there 0", "mean rate of the other traffic there 0.1"],
        ),
        ("rate", ["0.1", None], ["rate 0.1", "(rate not varied)"]),
        ("buffer", ["0.5 RTT", "1 RTT"], ["0.5 RTT", "1 RTT"]),
    ],
)
def test_bars_that_differ_in_one_factor_say_which_it_is(
    name: str, levels: list[str | None], labels: list[str]
) -> None:
    drawn = draw("ledger", of_settings(name, levels))
    panel = drawn.picture.panels[0][0]
    assert panel is not None
    assert panel.y.names == labels
    assert (
        drawn.caption == f"2 factor combinations, n = 1 run each; bars by {name.replace('_', ' ')}"
    )


def test_rows_of_panels_with_a_bar_each_are_bars_of_a_panel() -> None:
    ledgers = [
        LedgerRow(
            (("control", control), ("guaranteed_rate", rate)),
            dict(zip(CAUSES, SHARES, strict=True)),
            1,
        )
        for control in ("reno", "bbr")
        for rate in ("0", "0.1")
    ]
    drawn = draw("ledger", ledgers)
    ((reno, bbr),) = draw("ledger", ledgers, Options(rows="guaranteed_rate")).picture.panels
    assert reno is not None
    assert bbr is not None
    assert (reno.title, bbr.title) == ("reno", "bbr")
    assert reno.y.names == bbr.y.names == ["guaranteed rate 0", "guaranteed rate 0.1"]
    assert drawn.caption == "4 factor combinations, n = 1 run each; bars by control"
    alone = draw("ledger", ledgers[:1])
    assert [len(row) for row in alone.picture.panels] == [1]
    assert alone.caption == "1 factor combination, n = 1 run each;\nwith control reno"


def test_on_a_screen_every_panel_says_which_it_is_and_has_room_for_its_labels() -> None:
    spec = draw("ledger", of_rates(["0", "0.1"])).vega_lite()
    titles = [view["title"]["text"] for view in spec["concat"]]
    assert titles == ["lan, ubr", "lan, epd", "wan, ubr", "wan, epd"]
    axes = [view["layer"][0]["encoding"]["y"]["axis"] for view in spec["concat"]]
    assert {axis["title"] for axis in axes} == {None}
    letters = len("3000 cells, vanilla, 0.1")
    assert spec["usermeta"]["longfat"]["beside_panel"] > 5 * letters


def test_panels_are_by_the_first_factors_of_a_study_that_has_others() -> None:
    ledgers = [
        LedgerRow(
            (("control", control), ("path", path), ("buffer", buffer)),
            dict(zip(CAUSES, SHARES, strict=True)),
            2,
        )
        for control in ("reno", "bbr")
        for path in ("still", "moving")
        for buffer in ("1 BDP", "2 BDP")
    ]
    painting = draw("ledger", ledgers).matplotlib()
    titles = [panel.get_title(loc="left") for panel in painting.axes]
    assert titles == ["still", "moving", "", ""]
    assert [panel.get_ylabel() for panel in painting.axes[::2]] == ["reno", "bbr"]
    chosen = draw("ledger", ledgers, Options(columns="buffer")).matplotlib()
    assert chosen.axes[0].get_title(loc="left") == "1 BDP"


def test_causes_that_never_matter_are_not_in_the_legend(ledgers: list[LedgerRow]) -> None:
    painting = draw("ledger", ledgers).matplotlib()
    labels = [text.get_text() for text in painting.legends[0].get_texts()]
    assert labels == ["useful", "under way", "idle slow start", "idle timeout"]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".csv"])
def test_a_picture_is_the_same_each_time(
    ledgers: list[LedgerRow], tmp_path: Path, suffix: str
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    draw("ledger", ledgers).save(first)
    draw("ledger", ledgers).save(second)
    assert first.read_bytes() == second.read_bytes()


def test_many_bars_stand_on_pages_that_are_no_higher_than_a_sheet(tmp_path: Path) -> None:
    many = [
        LedgerRow(
            (("buffer", f"{buffer} cells"), ("seed", str(seed))),
            dict(zip(CAUSES, SHARES, strict=True)),
            2,
        )
        for buffer in range(30)
        for seed in range(5)
    ]
    drawn = draw("ledger", many, Options(columns="policy", rows="config"))
    pages = drawn.picture.pages()
    assert len(pages) > 1
    assert all(page.height_inches <= 11 for page in pages)
    names = [name for page in pages for (panel,) in page.panels if panel for name in panel.y.names]
    assert len(names) == len(set(names)) == 150
    assert [page.caption.split("; ")[-1] for page in pages] == [
        f"page {number} of {len(pages)}" for number in range(1, len(pages) + 1)
    ]
    written = drawn.save(tmp_path / "l.svg")
    assert written == [tmp_path / f"l-{number}.svg" for number in range(1, len(pages) + 1)]
    assert all(file.exists() for file in written)
    assert drawn.save(tmp_path / "l.pdf") == [tmp_path / "l.pdf"]
    assert (tmp_path / "l.pdf").read_bytes().count(b"/Type /Page ") == len(pages)


def test_bars_of_numbers_stand_in_their_order() -> None:
    shares = dict(zip(CAUSES, SHARES, strict=True))
    given = [LedgerRow((("number", number),), shares, 2) for number in ("1", "16", "2", "8")]
    (panel,) = draw("ledger", given).picture.panels[0]
    assert panel is not None
    assert list(panel.y.names) == [f"number {number}" for number in (1, 2, 8, 16)]
