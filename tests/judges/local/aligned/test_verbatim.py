import pytest

from trail_callbacks.judges.local.aligned.verbatim import repeats, states


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Finished files can be downloaded for 72 hours.", "Finished files can be downloaded for 72 hours, after which they are deleted."),
        ("The council voted to approve the plan.", "The council voted on Tuesday to approve the plan."),
        ("Kit Allard wrote seven songs.", "Singer Kit Allard wrote seven songs; Josie Penn wrote three."),
        ("The lighthouse is 77 metres tall.", "The lighthouse was rebuilt in 1543 and is 77 metres tall."),
        ("The tank holds nearly 500 litres.", "The tank holds 496 litres."),
        ("The Supplier must deliver the goods.", "The Supplier shall deliver the goods."),
    ],
)  # fmt: skip
def test_near_verbatim(aligned, claim, sentence):
    assert states(aligned(claim, sentence))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Files can be downloaded for 72 hours.", "Files can be downloaded for 72 hours only if they are finished."),
        ("The council approved the plan.", "The council refused to approve the plan."),
        ("The firm delivered the trains.", "The firm is due to deliver the trains."),
        ("The parliament ratified the treaty.", "The parliament has yet to ratify the treaty."),
        ("The council approved the plan.", "Critics deny that the council approved the plan."),
        ("The plan was approved in May.", "The plan was approved in May, said the mayor."),
        ("The plan was approved in May.", "The plan was probably approved in May."),
        ("The rooms on the second floor are cold.", "Some rooms on the second floor are cold."),
        ("Eleven graves were robbed in 2013.", "Eleven graves were robbed in ancient times and four more in 2013."),
        ("The loss was larger under 60 degrees.", "The loss was larger over 60 degrees."),
        ("The train goes from Halm to Vint.", "The train goes from Vint to Halm."),
        ("It needs the consent of the council.", "The plan needs the consent of the council."),
        ("The lamp is bright and cheap.", "The lamp is bright."),
        ("The moon is made of cheese.", "The moon is made of cheese is a myth."),
    ],
)  # fmt: skip
def test_what_restricts_turns_or_takes_back(aligned, claim, sentence):
    assert not states(aligned(claim, sentence))


def test_the_same_sentence_repeats_in_any_language(aligned):
    assert repeats(aligned("Die Brücke ist offen.", "die Brücke ist offen"))
    assert not repeats(aligned("Die Brücke ist offen.", "Die Brücke ist nicht offen."))


@pytest.mark.parametrize(
    ("sentence", "others"),
    [
        ("3  Peel the outer layers of the bulb.", ()),
        ("3\tPeel the outer layers of the bulb.", ("4\tRoast it.",)),
        ("3 Peel the outer layers of the bulb.", ("2 Wash the bulb.",)),
        ("passage 2:1 Peel the outer layers of the bulb.", ("2 Roast it.",)),
    ],
)
def test_the_number_of_an_item_adds_nothing(aligned, sentence, others):
    assert states(aligned("Peel the outer layers of the bulb.", sentence, *others))


@pytest.mark.parametrize(
    ("claim", "sentence", "others"),
    [
        ("Guards of the upper deck were hurt.", "3 guards of the upper deck were hurt.", ("2 guards fled.",)),
        ("Guards of the upper deck were hurt.", "Guards of the upper deck: 3 guards of the upper deck were hurt.", ()),
        ("Peel the outer layers of the bulb.", "3 Peel the outer layers of the bulb.", ("7 Wash the bulb.",)),
        ("Peel the outer layers of the bulb.", "3  Never peel the outer layers of the bulb.", ()),
        ("Peel the outer layers of the bulb.", "3  If it is dry, peel the outer layers of the bulb.", ()),
        ("Litres of the red wine are left.", "-3.5  litres of the red wine are left.", ()),
    ],
)
def test_an_amount_at_the_beginning_is_no_item(aligned, claim, sentence, others):
    assert not states(aligned(claim, sentence, *others))
