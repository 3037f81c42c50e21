from longfat.plots.names import degrees, depth, shortened, thinned_out
from longfat.plots.palette import level_looks


def test_long_names_lose_their_middle_and_stay_different() -> None:
    assert shortened(["epd", "a name of twenty-six letter"], 11) == ["epd", "a nam…etter"]
    names = [f"a control that is paced, {number} of the list" for number in range(12)]
    cut = shortened(names, 16)
    assert len(set(cut)) == len(names)
    assert max(map(len, cut)) == 16
    assert all("…" in name for name in cut)


def test_names_that_differ_in_too_many_places_for_the_room_are_longer() -> None:
    names = [f"{first}{'-' * 20}{last}{'-' * 20}{first}" for first in "ab" for last in "cd"]
    assert len(set(shortened(names, 8))) == len(names)


def test_names_turn_as_far_as_they_must_and_are_thinned_out_where_that_is_not_enough() -> None:
    few, many = ["small", "large"], [f"{number} cells" for number in range(100, 120)]
    assert [degrees(few, 40), degrees(many, 90), degrees(many, 40)] == [0, 30, 90]
    assert depth(few, 40) == 0
    assert depth(many, 40) == len("100 cells")
    assert thinned_out(many, 40) == many
    assert thinned_out(many, 20)[:4] == ["100 cells", "", "102 cells", ""]


def test_twenty_levels_all_look_different_and_a_few_differ_in_colour_alone() -> None:
    looks = level_looks([f"{number} cells" for number in range(20)])
    assert len({(look.color, look.style) for look in looks.values()}) == 20
    assert len({(look.color, look.marker) for look in looks.values()}) == 20
    assert {(look.style, look.marker) for look in list(looks.values())[:6]} == {("-", "o")}
