"""Made-up subjects with known facts, in two languages: a corpus in which code can tell what answers what."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

KINDS = {
    "bridge": {
        "en": ("{} Bridge", ["Halden", "Orvik", "Tamsel", "Brenno", "Quarle", "Lindvall", "Serrat", "Moxley"]),
        "de": ("Brücke {}", ["Halden", "Orvik", "Tamsel", "Brenno", "Quarle", "Lindvall", "Serrat", "Moxley"]),
    },
    "drug": {
        "en": ("{}", ["Norvatil", "Ebrasin", "Culdovir", "Plenaxol", "Zemtride", "Orfexan", "Tibrolac", "Wendamil"]),
        "de": ("{}", ["Norvatil", "Ebrasin", "Culdovir", "Plenaxol", "Zemtride", "Orfexan", "Tibrolac", "Wendamil"]),
    },
    "museum": {
        "en": ("{} Museum", ["Aldgate", "Bering", "Castell", "Dunmore", "Elsinor", "Farrow", "Gantry", "Hollin"]),
        "de": ("Museum {}", ["Aldgate", "Bering", "Castell", "Dunmore", "Elsinor", "Farrow", "Gantry", "Hollin"]),
    },
    "server": {
        "en": ("{} Server", ["Parsel", "Quorra", "Ribben", "Stratos", "Tallow", "Umbrel", "Vantor", "Wexcon"]),
        "de": ("{} Server", ["Parsel", "Quorra", "Ribben", "Stratos", "Tallow", "Umbrel", "Vantor", "Wexcon"]),
    },
    "village": {
        "en": ("{} Valley", ["Arnloch", "Bastrin", "Corvey", "Delmar", "Estrup", "Fjarvik", "Grimsel", "Hontal"]),
        "de": ("Tal {}", ["Arnloch", "Bastrin", "Corvey", "Delmar", "Estrup", "Fjarvik", "Grimsel", "Hontal"]),
    },
}
"""How subjects of a kind are called, by language."""

PROPERTIES = {
    "bridge": {
        "length": ("How long is the {}?", "The {} is {} metres long.", "Wie lang ist die {}?", "Die {} ist {} Meter lang.", (120, 980)),
        "opening": ("When was the {} opened?", "The {} was opened in {}.", "Wann wurde die {} eröffnet?", "Die {} wurde {} eröffnet.", (1850, 2015)),
        "toll": ("What is the toll on the {}?", "The toll on the {} is {} cents.", "Wie hoch ist die Maut auf der {}?", "Die Maut auf der {} beträgt {} Cent.", (20, 95)),
        "lanes": ("How many vehicles cross the {} a day?", "{1} vehicles cross the {0} a day.", "Wie viele Fahrzeuge queren täglich die {}?", "Täglich queren {1} Fahrzeuge die {0}.", (2100, 9800)),
    },
    "drug": {
        "dose": ("What is the daily dose of {}?", "The daily dose of {} is {} milligrams.", "Wie hoch ist die Tagesdosis von {}?", "Die Tagesdosis von {} beträgt {} Milligramm.", (5, 900)),
        "approval": ("When was {} approved?", "{} was approved in {}.", "Wann wurde {} zugelassen?", "{} wurde {} zugelassen.", (1960, 2022)),
        "storage": ("At what temperature is {} stored?", "{} is stored at {} degrees.", "Bei welcher Temperatur wird {} gelagert?", "{} wird bei {} Grad gelagert.", (2, 29)),
        "price": ("What does a pack of {} cost?", "A pack of {} costs {} euros.", "Was kostet eine Packung {}?", "Eine Packung {} kostet {} Euro.", (31, 480)),
    },
    "museum": {
        "visitors": ("How many people visited the {} last year?", "{1} people visited the {0} last year.", "Wie viele Menschen besuchten voriges Jahr das {}?", "Voriges Jahr besuchten {1} Menschen das {0}.", (3000, 99000)),
        "founding": ("When was the {} founded?", "The {} was founded in {}.", "Wann wurde das {} gegründet?", "Das {} wurde {} gegründet.", (1801, 2001)),
        "entry": ("What is the entry fee of the {}?", "The entry fee of the {} is {} kroner.", "Was kostet der Eintritt in das {}?", "Der Eintritt in das {} kostet {} Kronen.", (40, 260)),
        "rooms": ("How many rooms has the {}?", "The {} has {} rooms.", "Wie viele Säle hat das {}?", "Das {} hat {} Säle.", (6, 64)),
    },
    "server": {
        "port": ("Which port does {} listen on?", "{} listens on port {}.", "Auf welchem Port lauscht {}?", "{} lauscht auf Port {}.", (1100, 9900)),
        "timeout": ("What is the timeout of {}?", "The timeout of {} is {} seconds.", "Wie lang ist die Zeitgrenze von {}?", "Die Zeitgrenze von {} beträgt {} Sekunden.", (11, 290)),
        "workers": ("How many workers does {} start?", "{} starts {} workers.", "Wie viele Prozesse startet {}?", "{} startet {} Prozesse.", (3, 64)),
        "release": ("When was {} first released?", "{} was first released in {}.", "Wann ist {} zuerst erschienen?", "{} ist zuerst {} erschienen.", (1995, 2024)),
    },
    "village": {
        "people": ("How many people live in {}?", "{1} people live in {0}.", "Wie viele Menschen leben im {}?", "{1} Menschen leben im {0}.", (210, 9400)),
        "height": ("How high is {} above the sea?", "{} lies {} metres above the sea.", "Wie hoch liegt das {}?", "Das {} liegt {} Meter über dem Meer.", (140, 2100)),
        "snow": ("How many days of snow has {} a year?", "{} has {} days of snow a year.", "Wie viele Schneetage hat das {} im Jahr?", "Das {} hat {} Schneetage im Jahr.", (10, 160)),
        "charter": ("When did {} get its charter?", "{} got its charter in {}.", "Wann erhielt das {} sein Stadtrecht?", "Das {} erhielt sein Stadtrecht {}.", (1205, 1790)),
    },
}  # fmt: skip
"""Question and sentence of each property, English and German, and the range of its values."""

FILLER = {
    "en": "This page was compiled by the local archive and is kept up to date by volunteers who meet every second week.",
    "de": "Diese Seite wurde vom örtlichen Archiv erstellt und wird von Freiwilligen gepflegt, die sich alle zwei Wochen treffen.",
}
DECLINES = {
    "en": "The documents do not say.",
    "de": "Das geht aus den Dokumenten nicht hervor.",
}
VAGUE = {
    "bridge": {"en": "facts about bridges", "de": "Angaben zu Brücken"},
    "drug": {"en": "facts about medicines", "de": "Angaben zu Arzneien"},
    "museum": {"en": "facts about museums", "de": "Angaben zu Museen"},
    "server": {"en": "facts about servers", "de": "Angaben zu Servern"},
    "village": {"en": "facts about valleys", "de": "Angaben zu Tälern"},
}
"""A query that has lost the subject."""


@dataclass(frozen=True)
class Fact:
    """One fact, which a sentence states."""

    subject: str
    about: str
    value: int


class World:
    """Subjects of one kind in one language, with their facts."""

    def __init__(self, kind: str, language: str, random: Random) -> None:
        self.kind, self.language = kind, language
        pattern, names = KINDS[kind][language]
        self.subjects = [pattern.format(name) for name in random.sample(names, len(names))]
        self.properties = list(PROPERTIES[kind])
        self._random = random
        self.facts = {
            (subject, about): Fact(subject, about, random.randint(*PROPERTIES[kind][about][4]))
            for subject in self.subjects
            for about in self.properties
        }
        self.by_sentence = {self.sentence(fact): fact for fact in self.facts.values()}

    def question(self, fact: Fact) -> str:
        """The question that a fact answers."""
        return self._template(fact.about, 0).format(fact.subject)

    def sentence(self, fact: Fact) -> str:
        """The sentence that states a fact."""
        return self._template(fact.about, 1).format(fact.subject, fact.value)

    def other(self, fact: Fact) -> Fact:
        """The same property with another value; code knows its sentence from now on."""
        low, high = PROPERTIES[self.kind][fact.about][4]
        value = self._random.choice([n for n in range(low, high + 1) if n != fact.value])
        wrong = Fact(fact.subject, fact.about, value)
        self.by_sentence[self.sentence(wrong)] = wrong
        return wrong

    def _template(self, about: str, which: int) -> str:
        return str(PROPERTIES[self.kind][about][which + (2 if self.language == "de" else 0)])
