"""Where sentences come apart into clauses, and where they stay whole."""

import pytest

from trail_callbacks.claims import split

SHARED_SUBJECTS = [
    ("Tarn was founded in 1990 and employs 300 people.", ["Tarn was founded in 1990", "Tarn employs 300 people."]),
    ("The bridge is long, but has no lights.", ["The bridge is long", "The bridge has no lights."]),
    ("Ada opened a shop in Bonn and then became a judge.", ["Ada opened a shop in Bonn", "Ada then became a judge."]),
    ("Adults take one a day, and must not take three.", ["Adults take one a day", "Adults must not take three."]),
    ("The firm bought a mill and moved to Oslo.", ["The firm bought a mill", "The firm moved to Oslo."]),
    ("The lamp (model 7) is red and weighs 2 kg.", ["The lamp (model 7) is red", "The lamp (model 7) weighs 2 kg."]),
    ("**Tarn** is a lake and covers 3 km² [2].", ["Tarn is a lake", "Tarn covers 3 km²."]),
]
OWN_SUBJECTS = [
    ("The plan was approved; the mayor was happy.", ["The plan was approved", "the mayor was happy."]),
    ("The tower is tall, and the city is large.", ["The tower is tall", "the city is large."]),
    ("Tea is hot, whereas juice is cold.", ["Tea is hot", "juice is cold."]),
    ("Up to one in ten gets a rash, and as many may get a fever.", ["Up to one in ten gets a rash", "as many may get a fever."]),
    ("The dam passed its first test on Sunday: the town stayed dry.", ["The dam passed its first test on Sunday", "the town stayed dry."]),
    ("The tower is tall, and it was costly.", ["The tower is tall", "The tower was costly."]),
    ("The pool is open daily; children under six swim free, and dogs are not allowed.",
     ["The pool is open daily", "children under six swim free, and dogs are not allowed."]),
]  # fmt: skip
KEPT_WHOLE = [
    # what belongs together
    "The road runs between Bonn and Ulm.", "Tarn and Vell merged in 1990.", "Smith and Wesson was a firm.",
    "The film Pride and Prejudice is long.", "He sold two hundred and fifty cars.", "Bread and butter is cheap.",
    "The price of the bread and the wine is high.", "The bread and the wine were good.", "The flag is red and white.",
    "Anna and Bert married and moved to Rome in 1990.", "She owns and runs the mill.", "The firm designs, builds and sells boats.",
    "Tarn and Vell came first and second, respectively.", "The drink consists of: water, sugar and lime.",
    "The menu offers morning, noon and evening tours.", "The shop sells red, green and blue lamps.", "It sells a lamp or a bulb.",
    # conditions, reports and denials that reach over the link
    "If it rains, the match is off, and the crowd is sad.", "The match is off and is not played again if it rains.",
    "Unless the bill is paid, the line is cut and is not opened again.", "He said the tower is tall, and the city is large.",
    "The report claims that the plant is old and has leaks.", "No gate was opened and was then closed.",
    "The mill never opened and was sold.", "Few towns have a port and have a rail line.", "The lake, which is deep, is cold and has no fish.",
    "It closed because it was late and was empty.", "In 1990 the mill burned and was rebuilt.", "According to Quist, the mill is old and has leaks.",
    "The plan works when it is dry, and the river is low.",
    # links that are statements
    "The mill closed because the river was dry.", "Sales rose, so the firm hired ten people.", "Therefore the dam failed.",
    "The dam failed although it was new.",
    # words that only look like verbs
    "The phone has a camera and advanced sensors.", "The firm sells books and records.", "It makes plans and reports for 2020.",
    "The firm founded by Quist, Berg, and Holm was sold.", "The firm founded in 1990 and based in Bonn was sold.",
    "The wall was painted in May and sold in June.", "You can swim and eat there.", "Peel the roots and cut them.",
    # quotations and brackets
    "She wrote “it was cold, and the sea was grey” there.", "The mill (it was old and had leaks) burned.",
    'The sign says "the door is shut and has an alarm" in red.',
    # marks inside a sentence
    "Paris; Rome; Madrid.", "Dr. Quist lives in the U.S. Army base No. 5 now.", "It weighs approx. 5.5 kg, i.e. little.",
    "He waited ... and left.", "Version 1.2.3 of tool.py costs $3.50.", "The ratio is 3:1.",
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "claims"), [*SHARED_SUBJECTS, *OWN_SUBJECTS], ids=lambda value: value if isinstance(value, str) else ""
)
def test_clauses_that_stand_alone_are_claims_of_their_own(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


@pytest.mark.parametrize("answer", KEPT_WHOLE)
def test_what_belongs_together_stays_whole(answer):
    assert [claim.text for claim in split(answer)] == [answer]
