"""Claims of an answer by its layout, sentences, clauses, frames, marks and pronouns."""

import pytest

from trail_callbacks.claims import split

CLAIMS = [
    # lists under their lead-ins, rows under their columns; no code, no formulas
    ("The hotel has:\n\n- a large pool\n- The bar is open.", ["The hotel has: a large pool", "The bar is open."]),
    ("Based on the passages, here is how to clean a mill:\n1. The roof", ["here is how to clean a mill: The roof"]),
    (
        "Cities:\n- North:\n  - Oslo\n  - Bergen\n- South:\n  - Ulm",
        ["Cities: North: Oslo", "Cities: North: Bergen", "Cities: South: Ulm"],
    ),
    ("- Berlin\n  - large port\n- Ulm", ["Berlin: large port", "Ulm"]),
    ("## Side effects\n- headache\n- rash", ["Side effects: headache", "Side effects: rash"]),
    ("**Side effects**\n- headache", ["Side effects: headache"]),
    ("| Unit | Sales |\n|---|---|\n| Optics | 48.2 |", ["Unit: Optics; Sales: 48.2"]),
    ("Unit | Sales\n--- | ---\nOptics | 48.2", ["Unit: Optics; Sales: 48.2"]),
    ("| Optics | 48.2 |", ["Optics; 48.2"]),
    (
        "The mill that stands on the bank of the river\nwas built in 1990.",
        ["The mill that stands on the bank of the river was built in 1990."],
    ),
    ("$$\nx = 1\n$$\nThe mill is old.", ["The mill is old."]),
    ("The mill is old.\n```\nx = plant(1)\n```", ["The mill is old."]),
    ("Die Mühle hat:\n- drei Flügel", ["Die Mühle hat: drei Flügel"]),
    ("酒店提供\uff1a\n- 游泳池", ["酒店提供: 游泳池"]),
    # clauses that share a subject
    ("Tarn was founded in 1990 and employs 300 people.", ["Tarn was founded in 1990", "Tarn employs 300 people."]),
    ("The bridge is long, but has no lights.", ["The bridge is long", "The bridge has no lights."]),
    ("Ada opened a shop in Bonn and then became a judge.", ["Ada opened a shop in Bonn", "Ada then became a judge."]),
    ("Adults take one a day, and must not take three.", ["Adults take one a day", "Adults must not take three."]),
    ("The firm bought a mill and moved to Oslo.", ["The firm bought a mill", "The firm moved to Oslo."]),
    ("The lamp (model 7) is red and weighs 2 kg.", ["The lamp (model 7) is red", "The lamp (model 7) weighs 2 kg."]),
    ("**Tarn** is a lake and covers 3 km² [2].", ["Tarn is a lake", "Tarn covers 3 km²."]),
    # clauses with subjects of their own
    ("The plan was approved; the mayor was happy.", ["The plan was approved", "the mayor was happy."]),
    ("The tower is tall, and the city is large.", ["The tower is tall", "the city is large."]),
    ("Tea is hot, whereas juice is cold.", ["Tea is hot", "juice is cold."]),
    ("Up to one in ten gets a rash, and as many may get a fever.", ["Up to one in ten gets a rash", "as many may get a fever."]),
    ("The dam passed its first test on Sunday: the town stayed dry.", ["The dam passed its first test on Sunday", "the town stayed dry."]),
    ("The tower is tall, and it was costly.", ["The tower is tall", "The tower was costly."]),
    ("The pool is open daily; children under six swim free, and dogs are not allowed.",
     ["The pool is open daily", "children under six swim free, and dogs are not allowed."]),
    # pronouns that can mean one thing
    ("Tarn is a lake. It is deep.", ["Tarn is a lake.", "Tarn is deep."]),
    ("Tarn is a lake. Its water is cold.", ["Tarn is a lake.", "Tarn's water is cold."]),
    ("Ada Quist was born in Oslo. She wrote two books.", ["Ada Quist was born in Oslo.", "Ada Quist wrote two books."]),
    ("Dr. Holm won a prize. His first book sold well.", ["Dr. Holm won a prize.", "Dr. Holm's first book sold well."]),
    ("Oslo and Bonn are cities. They have ports.", ["Oslo and Bonn are cities.", "Oslo and Bonn have ports."]),
    ("The old mill is big. However, it has no roof.", ["The old mill is big.", "The old mill has no roof."]),
    ("Tarn is a lake. It is deep and has fish.", ["Tarn is a lake.", "Tarn is deep", "Tarn has fish."]),
    ("In 1990, Ada Quist was a judge. She met Bo.", ["In 1990, Ada Quist was a judge.", "Ada Quist met Bo."]),
    # what only frames a statement
    ("Based on the provided passages, the mill is old.", ["the mill is old."]),
    ("Sure! Based on the documents, the answer is 42.", ["Sure!", "the answer is 42."]),
    ("According to Quist, the mill is old.", ["According to Quist, the mill is old."]),
    ("However, the mill is old.", ["the mill is old."]),
    ("It is important to note that the mill is old.", ["the mill is old."]),
    ("Response 2: the mill is old.", ["the mill is old."]),
    ("Antwort: Die Mühle ist alt.", ["Die Mühle ist alt."]),
    ("答案\uff1a磨坊很旧。", ["磨坊很旧。"]),
    # citation marks and markup
    ("The mill is old [1][2].", ["The mill is old."]), ("The mill is old (Smith, 2020).", ["The mill is old (Smith, 2020)."]),
    ("The mill is old (Passage 1).", ["The mill is old."]),
    ("The mill is old. (Passages 1 and 3)", ["The mill is old."]), ("The mill is old (as stated in Passage 2).", ["The mill is old."]),
    ("The mill is old.[^1]", ["The mill is old."]), ("The mill【3†a】 is old.", ["The mill is old."]),
    ("The [mill](https://a.example/x_(y)) is old.", ["The mill) is old."]), ("The *old* **mill** is __big__.", ["The old mill is big."]),
    ("The `mill` is old.", ["The mill is old."]), ("The <b>mill</b> is <i>old</i>.<br/>", ["The mill is old."]),
    ("The mill is old<sup>3</sup>.", ["The mill is old."]), ("The mill has 3 < 5 and 7 > 2 doors.", ["The mill has 3 < 5 and 7 > 2 doors."]),
    (r"The area is \(x^2\).", ["The area is x^2."]), ("It costs $5 to $6.", ["It costs $5 to $6."]), ("> The mill is old.", ["The mill is old."]),
    ("✅ The mill is old.", ["The mill is old."]), ("1) The mill is old.", ["The mill is old."]), ("(a) The mill is old.", ["The mill is old."]),
    ("iv. The mill is old.", ["The mill is old."]), ("- [x] The mill is old.", ["The mill is old."]), ("① 磨坊很旧", ["磨坊很旧"]),
    ("1、磨坊很旧。", ["磨坊很旧。"]), ("The mi\u200bll is old.", ["The mill is old."]), ("\u202eThe mill is old.\u202c", ["The mill is old."]),
    ("The mill is old (Rebuilt 1986).", ["The mill is old (Rebuilt 1986)."]),
    ("The mill is old (in 1990).", ["The mill is old (in 1990)."]), ("It has x_1 and snake_case names.", ["It has x_1 and snake_case names."]),
]  # fmt: skip

LANGUAGES = [
    "Am 3. Mai kam z. B. Herr Dr. Kim.|Das ist ca. 5 km weit.",
    "El Sr. P\u00e9rez vive en EE. UU. desde 1990.|Es la casa n\u00fam. 5.",
    "M. Dupont est \u00e0 Paris.|C'est p. ex. bien.",
    "Il sig. Rossi \u00e8 a Roma.|La casa di S. Pietro non \u00e8 grande.",
    "A Dra. Ana n\u00e3o mora em Lisboa.|O livro \u00e9 da p\u00e1g. 5.",
    "Dhr. Jansen woont in het dorp.|De molen is d.w.z. klein.",
    "\u5854\u9ad8330\u7c73\u3002|\u5b83\u5f88\u65e7\uff01",
    "\u5854\u306f330\u30e1\u30fc\u30c8\u30eb\u3067\u3059\u3002|\u53e4\u3044\u3067\u3059\u3002",
    "\u0627\u0644\u0628\u0631\u062c \u0637\u0648\u064a\u0644.|\u0627\u0644\u0628\u0631\u062c \u0642\u062f\u064a\u0645.",
    "\u0921\u0949. \u0936\u0930\u094d\u092e\u093e \u0906\u090f\u0964|\u092e\u0940\u0928\u093e\u0930 \u090a\u0901\u091a\u0940 \u0939\u0948\u0964",
    "Der Turm ist hoch, und die Stadt ist gro\u00df; der Fluss ist tief.",
]
QUOTES = [
    ("The mill is old.[1] The dam is new. (Passage 2)", ["The mill is old.[1]", "The dam is new. (Passage 2)"]),
    ("**The mill is old.** The dam is new.", ["**The mill is old.**", "The dam is new."]),
    ("It weighs approx. 5 kg. It is old ... and red.", ["It weighs approx. 5 kg.", "It is old ... and red."]),
    ("However, the mill is **old** [1].", ["However, the mill is **old** [1]."]),
]
PRONOUNS_THAT_STAY = [
    ("Ada Quist met Bo Holm. Later he wrote a book.", 1, "Later he wrote a book."),
    ("Ada Quist was a judge. He met her.", 1, "He met her."),
    ("Oslo is old. They have a port.", 1, "They have a port."),
    ("The mills are old. It has no roof.", 1, "It has no roof."),
    ("Dr. Holm won. It was a surprise.", 1, "It was a surprise."),
    ("The mill is old. It is important to paint it.", 1, "It is important to paint it."),
    ("No gate is newer. Its cost was low.", 1, "Its cost was low."),
    ("- The mill is old.\n- It was sold.", 1, "It was sold."),
    ("The bridge over the Aske is old. Its deck is new.", 1, "Its deck is new."),
]
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
NO_STATEMENTS = [
    "Hello!", "Great question!", "You're welcome.", "Dear Ms Quist, I am sorry about the lamp.", "I hope this helps!",
    "Based on the provided passages, here is a summary.", "Here is how to paint a mill.", "Here are the steps.",
    "I'm sorry, but the height is not mentioned in the context.", "Unable to answer based on the given passages.",
    "The passages do not provide instructions for that.", "(Unable to answer based on given passages)",
    "As an AI, I cannot browse the web.", "I am a language model.", "I was trained on text.", "Would you like more?",
    "Let me know if you need more.", "I can draft a letter for you.", "Source: https://example.org/a.html", "Thanks for asking!",
    "Quelle est la hauteur ?", "¿Es vieja?", "Ist sie alt?", "È vecchia?", "É velha?", "Is hij oud? Ja?", "它旧吗\uff1f", "古いですか。", "هل هو قديم؟",
    "क्या यह पुरानी है?", "¡Qué buen plan!", "Vielen Dank!", "Bonjour !", "你好\uff01", "Gracias!", "ありがとうございます\uff01", "شكرا!",
]  # fmt: skip
STATEMENTS = [
    "Unfortunately, the mill burned in 1990.", "Here the river is deep.", "The passages under the castle are dark.",
    "The company does not provide refunds.", "Hello Kitty was created in 1974.", "The data do not show a link.",
    "Dear was a town in Ohio.", "The source of the river is a lake.", "Thank You is an album by Holm.",
    "Das Werk ist alt.", "El molino es viejo.", "Le moulin est vieux.", "Il mulino è vecchio.", "O moinho é velho.",
    "De molen is oud.", "磨坊很旧。", "水車は古いです。", "الطاحونة قديمة.", "चक्की पुरानी है।",
]  # fmt: skip
MIXED = [
    ("The passages do not mention the price, but the mill is 30 m tall.",
     ["?The passages do not mention the price", "the mill is 30 m tall."]),
    ("Thanks for asking! The mill is old. Shall I go on?", ["?Thanks for asking!", "The mill is old.", "?Shall I go on?"]),
    ("Work is possible after a year; ask your manager first.", ["Work is possible after a year; ask your manager first."]),
]  # fmt: skip


def named(value):
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("answer", "claims"), CLAIMS, ids=named)
def test_what_an_answer_states(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


@pytest.mark.parametrize("text", LANGUAGES)
def test_sentences_of_many_languages(text):
    joint = " " if text.isascii() or text[0] < "\u3000" else ""
    assert [claim.text for claim in split(joint.join(text.split("|")))] == text.split("|")


@pytest.mark.parametrize(("answer", "quotes"), QUOTES, ids=named)
def test_quotes_keep_what_closes_a_sentence_and_what_texts_leave_out(answer, quotes):
    assert [claim.quote for claim in split(answer)] == quotes


@pytest.mark.parametrize(("answer", "number", "text"), PRONOUNS_THAT_STAY)
def test_pronouns_that_may_mean_several_things_stay(answer, number, text):
    assert split(answer)[number].text == text


@pytest.mark.parametrize("answer", KEPT_WHOLE)
def test_what_belongs_together_stays_whole(answer):
    assert [claim.text for claim in split(answer)] == [answer]


@pytest.mark.parametrize("answer", NO_STATEMENTS)
def test_what_states_nothing_is_not_checkable(answer):
    assert not any(claim.checkable for claim in split(answer))


@pytest.mark.parametrize("answer", STATEMENTS)
def test_what_states_something_is_checkable_and_whole(answer):
    assert [(claim.text, claim.checkable) for claim in split(answer)] == [(answer, True)]


@pytest.mark.parametrize(("answer", "claims"), MIXED, ids=named)
def test_parts_that_state_nothing_are_parted_from_those_that_do(answer, claims):
    """A text behind `?` is of a claim that is not checkable."""
    assert [claim.text if claim.checkable else f"?{claim.text}" for claim in split(answer)] == claims


def test_references_under_their_heading_are_not_checkable():
    answer = "The mill is old.\n\nReferences:\n- Smith, Mills, 1990\n- Doe, Dams, 2001\n\nThe dam is new."
    assert [claim.checkable for claim in split(answer)] == [True, False, False, True]


def test_the_answer_to_a_question_takes_it():
    (claim,) = split("Based on the passages, the answer is 42.", "How many doors has the mill?")
    assert claim.text == "How many doors has the mill? the answer is 42."
    assert (claim.quote, claim.checkable) == ("the answer is 42.", True)
