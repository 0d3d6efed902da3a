from trail_callbacks.statistics.contrasts import contrasted

CLUSTERS = {f"{n}": f"answer {n // 2}" for n in range(80)}


def hits(n, of=80):
    return {str(each): each < n for each in range(of)}


def test_what_differs_is_said_and_of_a_tie_how_many_answers_would_tell():
    found = contrasted({"found": {"a": hits(10), "b": hits(70), "c": hits(72)}}, ["a", "b", "c"], CLUSTERS)
    assert [(each.a, each.b, each.verdict) for each in found] == [
        ("a", "b", "differ"), ("a", "c", "differ"), ("b", "c", "tie"),
    ]  # fmt: skip
    assert [each.needed for each in found[:2]] == [None, None]
    assert found[2].needed > found[2].pairs.documents == 40


def test_holm_is_over_all_measures():
    two = {"a": hits(10), "b": hits(16)}
    (alone,) = contrasted({"found": two}, ["a", "b"], {})
    among = contrasted({"found": two, "flagged": {"a": hits(3), "b": hits(4)}}, ["a", "b"], {})
    assert (alone.verdict, among[0].verdict) == ("differ", "tie")
