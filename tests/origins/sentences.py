"""Made-up sentences in five languages: no two of them share a name or a number, so none supports another."""

# ruff: noqa: RUF001 - some sentences are Russian

from __future__ import annotations

from random import Random

LANGUAGES = ("en", "de", "fr", "ru", "zh")

_TEMPLATES = {
    "en": [
        "The {name} bridge was opened in {n} and is {m} metres long.",
        "The ferry to {name} takes {n} minutes.",
        "A ticket for the {name} museum costs {n} euros.",
        "The {name} archive keeps {n} letters in {m} boxes.",
        "{name} has {n} inhabitants.",
    ],
    "de": [
        "Die Fähre nach {name} braucht {n} Minuten.",
        "Das Museum in {name} wurde im Jahr {n} eröffnet.",
        "Das Archiv von {name} bewahrt {n} Briefe auf.",
        "{name} hat {n} Einwohner.",
    ],
    "fr": [
        "Le musée de {name} possède {n} tableaux anciens.",
        "Le bateau pour {name} met {n} minutes.",
        "La tour de {name} mesure {n} mètres.",
        "{name} compte {n} habitants.",
    ],
    "ru": [
        "Паром до города {name} идёт {n} минут.",
        "Музей города {name} хранит {n} картин.",
        "Башня города {name} имеет высоту {n} метров.",
        "В городе {name} живут {n} человек.",
    ],
    "zh": [
        "{name}大桥全长{n}米。",
        "{name}博物馆收藏了{n}幅画。",
        "前往{name}的渡轮需要{n}分钟。",
        "{name}共有{n}名居民。",
    ],
}
_QUESTIONS = {
    "en": ["What is known about the region?", "Is that all?", "Please repeat what you said.", "And what else?"],
    "de": ["Was ist über die Gegend bekannt?", "Ist das alles?", "Bitte noch einmal.", "Und was noch?"],
    "fr": ["Que sait-on de la région ?", "Est-ce tout ?", "Répétez, s'il vous plaît.", "Et encore ?"],
    "ru": ["Что известно об этой области?", "Это всё?", "Повторите, пожалуйста.", "А что ещё?"],
    "zh": ["关于这个地区有哪些信息？", "就这些吗？", "请再说一遍。", "还有什么？"],
}
_LATIN = (
    "bro",
    "dal",
    "fen",
    "gur",
    "hol",
    "kes",
    "lim",
    "mor",
    "nev",
    "pral",
    "rud",
    "sim",
    "tav",
    "vos",
    "wel",
    "zan",
)
_CYRILLIC = ("бро", "дал", "фен", "гур", "хол", "кес", "лим", "мор", "нев", "прал", "руд", "сим", "тав", "вос")
_CHINESE = "澜岚翎珞琥珀瑾璇岱崧沅沣浔涪湄漳潞"


class Sentences:
    """A source of sentences, each new.

    Args:
        random: Where chance comes from.
        language: One of `LANGUAGES`.
    """

    def __init__(self, random: Random, language: str) -> None:
        self._random = random
        self._language = language
        self._used: set[str] = set()
        self.questions = _QUESTIONS[language]

    def _new(self, make) -> str:
        while (word := make()) in self._used:
            pass
        self._used.add(word)
        return word

    def _name(self) -> str:
        if self._language == "zh":
            return "".join(self._random.sample(_CHINESE, 3))
        parts = _CYRILLIC if self._language == "ru" else _LATIN
        return "".join(self._random.sample(parts, 3)).capitalize()

    def _number(self) -> str:
        """A number at least 2 % away from all others: a judge may take closer ones for the same, rounded."""
        return str(round(11 * 1.04 ** self._random.randrange(35, 230)))

    def new(self) -> str:
        """Returns a sentence that was not returned before."""
        template = self._random.choice(_TEMPLATES[self._language])
        numbers = [self._new(self._number) for _ in range(2)]
        return template.format(name=self._new(self._name), n=numbers[0], m=numbers[1])
