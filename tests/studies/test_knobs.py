from longfat.scenarios.scenario import Override
from longfat.studies.definition import StudyDefinition
from longfat.studies.knobs import knobs_of


def test_knobs_are_the_open_choices_of_a_scenario_as_it_makes_them(study: StudyDefinition) -> None:
    other = Override("framing.lost_last_cell", "corrupts-own-packet", "here")
    left, changed = (
        {knob.path: knob for knob in of_variant} for of_variant in knobs_of(study, [[], [other]])
    )
    assert not left["framing.lost_last_cell"].is_set
    assert left["framing.lost_last_cell"].others == ["corrupts-own-packet"]
    assert changed["framing.lost_last_cell"].is_set
    assert changed["framing.lost_last_cell"].value == "corrupts-own-packet"
    assert changed["framing.lost_last_cell"].others == ["corrupts-next-packet"]
    assert changed["framing.lost_last_cell"].name == "framing.lost_last_cell (aal5)"
    assert "topology.sources" not in left


def test_knobs_of_quantities_are_said_with_their_units(study: StudyDefinition) -> None:
    flavor = Override("tcp.flavor", "prague", "here")
    marks = Override("tcp.ecn", "accurate", "here")
    (knobs,) = knobs_of(study, [[flavor, marks]])
    (least,) = (knob for knob in knobs if knob.path == "tcp.flavor.least_round_trip")
    assert (least.value, least.others) == ("25 ms", ["1 us"])
    assert "section 2.4.4" in least.doc
