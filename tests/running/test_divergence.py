from longfat.running.divergence import Setting, differing_settings
from longfat.scenarios.scenario import Scenario


def test_settings_that_differ_are_named_by_their_paths() -> None:
    first = Scenario('{"a": {"b": 1, "c": [1, 2]}, "list": [{"x": 1}], "same": true}')
    second = Scenario('{"a": {"b": 2, "c": [1, 2]}, "list": [{"x": 1}, {"x": 2}], "same": true}')
    assert differing_settings(first, second) == [
        Setting("a.b", 1, 2),
        Setting("list[1].x", None, 2),
    ]
    assert differing_settings(first, first) == []
