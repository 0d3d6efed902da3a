from trail_callbacks.canary.serving.keywords import Keywords

TEXTS = ["Ferries cross the bay.", "The museum opened in 1968.", "The bay is deep, and the ferry is old.", ""]


def test_passages_with_rare_shared_words_come_first():
    found = Keywords(TEXTS).search("When did the museum open, and is the bay deep?", 3)
    assert [i for i, _ in found[:2]] == [1, 2]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_only_what_shares_a_word_is_found():
    index = Keywords(TEXTS)
    assert index.search("whales", 3) == []
    assert index.search("", 3) == []
    assert len(index.search("ferry bay museum", 1)) == 1
    assert Keywords([]).search("ferry", 3) == []
    assert Keywords(["", " "]).search("ferry", 3) == []
