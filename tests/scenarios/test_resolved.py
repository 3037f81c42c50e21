import json

from longfat.scenarios.resolved import leaves
from longfat.scenarios.scenario import Scenario


def test_tables_are_walked_in_lists_too_and_all_else_is_a_value() -> None:
    document = {
        "port": {"policy": {"kind": "epd"}},
        "background": [{"load": 0.3}, {"load": 0.5}],
        "drops": [[3, 20], [], [1]],
        "names": ["a", "b"],
        "nothing": [],
        "empty": {},
    }
    assert dict(leaves(document)) == {
        "port.policy.kind": "epd",
        "background[0].load": 0.3,
        "background[1].load": 0.5,
        "drops": [[3, 20], [], [1]],
        "names": ["a", "b"],
        "nothing": [],
        "empty": {},
    }


def test_a_notebook_shows_the_settings_of_groups_by_their_paths() -> None:
    topology = {"kind": "n-source"}
    settings = {"topology": topology, "duration_ps": 10**12, "connections": [{"later": "1 ms"}]}
    assert "connections[0].later" in Scenario(json.dumps(settings), "name")._repr_html_()
