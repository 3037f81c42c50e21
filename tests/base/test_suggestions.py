from longfat.base.suggestions import nearest, nearest_or_known


def test_a_slip_is_recognized_and_a_different_word_is_not() -> None:
    assert nearest("fairnes", ["efficiency", "fairness"]) == "; did you mean 'fairness'?"
    assert nearest("colour", ["efficiency", "fairness"]) == ""


def test_all_names_are_listed_if_none_is_near() -> None:
    assert nearest_or_known("fairnes", ["fairness"]) == "; did you mean 'fairness'?"
    assert nearest_or_known("colour", ["efficiency", "fairness"]) == "; known: efficiency, fairness"
    assert nearest_or_known("colour", []) == "; known: none"
