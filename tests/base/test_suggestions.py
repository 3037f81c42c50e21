from longfat.base.suggestions import nearest, nearest_or_known


def test_a_slip_is_recognized_and_a_different_word_is_not() -> None:
    assert nearest("fairnes", ["efficiency", "fairness"]) == "; did you mean 'fairness'?"
    assert nearest("colour", ["efficiency", "fairness"]) == ""


def test_all_names_are_listed_if_none_is_near() -> None:
    assert nearest_or_known("fairnes", ["fairness"]) == "; did you mean 'fairness'?"
    assert nearest_or_known("colour", ["efficiency", "fairness"]) == "; known: efficiency, fairness"
    assert nearest_or_known("colour", []) == "; known: none"


def test_a_beginning_stands_for_the_names_that_begin_so() -> None:
    names = [
        "ubr-plus",
        "leo",
        "long-fat",
        "share_useful",
        "share_beyond_hole",
        "share_control",
        "share_background",
    ]
    assert nearest("ubr", names) == "; did you mean 'ubr-plus'?"
    assert nearest("UBR", names) == "; did you mean 'ubr-plus'?"
    assert nearest("l", names) == ""
    assert nearest("share", names) == "", "so many are better listed"
    meant = nearest("mean_", ["mean_queue_cells", "mean_round_trip_s"])
    assert meant == "; did you mean 'mean_queue_cells' or 'mean_round_trip_s'?"
