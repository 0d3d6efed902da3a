# ruff: noqa: E501, RUF001 - words of many scripts, a set a line
"""Attacks in languages other than English, as sets of words that must occur in one sentence.

Word order differs too much for the patterns of `rules`, so a rule is one to three sets of words and fires where one word of
each set occurs in the same sentence. That is coarser than English: translations of the known attacks are found, new ideas
are not. Text is normalized: small letters, Latin letters without accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from trail_callbacks.context_filter.mentions import sentence

__all__ = ["Match", "translated"]

_REACH = 160  # characters between words of one rule
_MATCHES = 50  # of one set that are looked at


class Match(NamedTuple):
    """Words of one rule in one sentence.

    Attributes:
        kind: What the passage tries, as in `rules`.
        weight: How much it says on its own, 0.0 to 1.0.
        why: What the passage does, for a person.
        start: Offset of the first word.
        end: Offset after the last one.
    """

    kind: str
    weight: float
    why: str
    start: int
    end: int


class _Lexicon(NamedTuple):
    """The telling words of one language, each set as a pattern."""

    ignore: re.Pattern[str]  # asking to ignore, forget or not to follow, as orders
    earlier: re.Pattern[str]  # `previous`, `above`, `so far`
    instructions: re.Pattern[str]
    show: re.Pattern[str]  # asking to reveal, print or repeat
    hidden: re.Pattern[str]  # `system prompt`, `your instructions`
    role: re.Pattern[str]  # giving the reader another role
    model: re.Pattern[str]  # `language model`, `chatbot`


_MODEL = r"\bia\b|inteligencia artificial|modelo de (?:lenguaje|linguagem)|chat ?gpt|chatbot|\bllm\b"
_WORDS = {
    "es": (
        r"\b(?:ignor(?:a|e|ad|en)|olvid(?:a|e|ad|en)|descart(?:a|e)|haz caso omiso|haga caso omiso|no (?:sigas|siga|obedezcas|obedezca|hagas caso)|desobedec\w+|omite|anula|pasa por alto|deja de (?:seguir|obedecer))\b",
        r"\b(?:anterior(?:es|mente)?|previ[ao]s?|arriba|precedentes?|hasta ahora|original(?:es)?|del sistema|iniciales)\b",
        r"\b(?:instrucci\w+|ordenes|reglas|indicaciones|directrices|prompts?|mensajes?|restricciones|directivas)\b",
        r"\b(?:revel\w+|muestr\w+|mostrar|imprim\w+|repit\w+|dime|escrib[ea]|devuelve|filtra)\b",
        r"\b(?:prompt (?:del|de) sistema|instrucciones (?:del sistema|ocultas|internas|iniciales)|tus instrucciones|tu prompt|mensaje de(?:l)? sistema)\b",
        r"\b(?:ahora eres|a partir de ahora (?:eres|seras|responde\w*|actua\w*|vas a)|actua como (?:si|un|una)|finge (?:ser|que)|hazte pasar)\b",
        rf"\b(?:eres (?:un |una )?(?:ia|modelo|asistente|chatbot)|si eres una? (?:{_MODEL})|asistente de ia)\b|{_MODEL}",
    ),
    "fr": (
        r"(?<!\ba )(?<!\bai )(?<!\bas )(?<!ont )(?<!\bete )\b(?:ignor(?:e|ez|ons)|oubli(?:e|ez)|ne (?:tiens|tenez) (?:pas |plus )?(?:aucun )?compte|fai(?:s|tes) abstraction|ne (?:suis|suivez|respecte|respectez|obeis) (?:pas|plus)|contourne\w*|neglige\w*|passe\w* outre|annule\w*)\b",
        r"\b(?:precedent(?:e|es|s)?|anterieur(?:e|es|s)?|ci dessus|ci-dessus|plus haut|d avant|d'avant|jusqu ici|jusqu'ici|initiales|d origine|d'origine|du systeme|recues)\b",
        r"\b(?:instructions?|consignes?|directives?|regles?|ordres?|prompts?|messages?|commandes?)\b",
        r"\b(?:revel\w+|affich\w+|montr\w+|repet\w+|imprim\w+|divulgu\w+|donne(?:z)?(?: moi|-moi)?|ecri(?:s|vez)|recopi\w+)\b",
        r"\b(?:prompt (?:du |de )?systeme|invite (?:du |de )?systeme|instructions (?:du |de )?systeme|instructions (?:cachees|internes|initiales|secretes)|(?:vos|tes) instructions|(?:votre|ton) prompt|message (?:du |de )?systeme)\b",
        r"\b(?:tu es (?:maintenant|desormais)|vous etes (?:maintenant|desormais)|(?:a partir de maintenant|desormais)\W+(?:tu|vous|reponds|repondez)|agis (?:comme|en tant)|agissez (?:comme|en tant)|fais semblant|faites semblant|comporte[- ]toi)\b",
        r"\b(?:si (?:tu es|vous etes) une? (?:ia|intelligence|modele|assistant)|modele de langage|assistant ia|chatbot|chat ?gpt|intelligence artificielle|\bllm\b)\b",
    ),
    "de": (
        r"\b(?:ignorier(?:e|t)|(?<!zu )ignorieren|vergiss|vergessen sie|vergesst|missachte\w*|uberspring\w*|verwirf|verwerfen sie|setze? .{0,30}ausser kraft|befolge\w* .{0,40}nicht|beachte\w* .{0,40}nicht|folge\w* .{0,40}nicht|umgeh(?:e|en))\b",
        r"\b(?:vorherige[nrms]?|vorige[nrms]?|bisherige[nrms]?|fruhere[nrms]?|obige[nrms]?|vorangegangene[nrms]?|vorangehende[nrms]?|oben|zuvor|bisher|ursprungliche[nrms]?|vorstehende[nrms]?|systemanweisung\w*)\b",
        r"\b(?:anweisung\w*|instruktion\w*|befehl\w*|regeln?|vorgaben?|richtlinien?|anordnung\w*|prompts?|systemprompt\w*|nachrichten|systemnachricht\w*)\b",
        r"\b(?:zeig\w*|gib|geben sie|nenn\w*|verrat\w*|wiederhol\w*|druck\w*|offenbar\w*|enthull\w*|schreib\w*)\b",
        r"(?:system-?prompts?|systemanweisung\w*|systemnachricht\w*|\b(?:versteckte|geheime|interne|ursprungliche)n? anweisung\w*|\bdeine anweisung\w*|\bihre anweisung\w*)",
        r"\b(?:du bist (?:jetzt|nun|ab sofort|ab jetzt)|sie sind (?:jetzt|nun|ab sofort) ein|ab (?:jetzt|sofort) (?:antworte\w*|bist|wirst|sollst)|verhalte dich (?:wie|als)|tu so,? als|gib dich als|spiele? die rolle)\b",
        r"\b(?:wenn du (?:eine? )?(?:ki|sprachmodell|chatbot|assistent)|sprachmodell\w*|ki-?(?:assistent|modell|system)\w*|kunstliche intelligenz|chat ?gpt|chatbot|\bllm\b)",
    ),
    "it": (
        r"\b(?:ignor(?:a|i|ate)|dimentic(?:a|hi|ate)|non (?:seguire|rispettare|tenere conto|considerare)|trascur(?:a|ate|are)|scarta|annulla|lascia perdere)\b",
        r"\b(?:precedent[ei]|prima|sopra|anterior[ei]|original[ei]|finora|di sistema|inizial[ei])\b",
        r"\b(?:istruzion[ei]|regol[ae]|ordin[ei]|comand[oi]|direttiv[ae]|prompt|messagg[io]|indicazion[ei])\b",
        r"\b(?:rivel\w+|mostr\w+|stamp\w+|ripet\w+|dimmi|scriv\w+|divulg\w+)\b",
        r"\b(?:prompt (?:di|del) sistema|istruzioni (?:di sistema|nascoste|interne|iniziali|segrete)|(?:le )?tue istruzioni|il tuo prompt|messaggio di sistema)\b",
        r"\b(?:ora sei|adesso sei|d ora in poi|d'ora in poi|da ora in poi (?:sei|rispond\w+)|agisci come|comportati come|fai finta|fingi di)\b",
        r"\b(?:se sei un(?:a|')? ?(?:ia|intelligenza|modello|assistente)|modello linguistico|assistente ia|intelligenza artificiale|chat ?gpt|chatbot|\bllm\b)\b",
    ),
    "pt": (
        r"\b(?:ignor(?:e|a|em)|esquec(?:a|am)|esquece|desconsider(?:e|a)|nao (?:siga|sigas|obedeca|obedecas|considere)|descarte|desobedec\w+|deixe de seguir)\b",
        r"\b(?:anterior(?:es|mente)?|previ[ao]s?|acima|precedentes?|ate agora|originais|do sistema|iniciais)\b",
        r"\b(?:instruc\w+|ordens|regras|comandos|diretrizes|prompts?|mensage\w+|orientac\w+)\b",
        r"\b(?:revel\w+|mostr\w+|imprim\w+|repit\w+|diga|escrev\w+|exib\w+)\b",
        r"\b(?:prompt d[eo] sistema|instrucoes (?:do sistema|ocultas|internas|iniciais|secretas)|(?:suas|tuas) instrucoes|(?:seu|teu) prompt|mensagem d[eo] sistema)\b",
        r"\b(?:agora (?:voce e|tu es|es)|voce (?:agora )?e (?:agora )?um|a partir de agora|aja como|atue como|finja (?:ser|que))\b",
        rf"\b(?:se voce (?:e|for) uma? (?:ia|inteligencia|modelo|assistente)|assistente de ia)\b|{_MODEL}",
    ),
    "nl": (
        r"\b(?:negeer|vergeet|sla .{0,30}over|volg .{0,40}niet|laat .{0,40}buiten beschouwing|houd geen rekening|omzeil)\b",
        r"\b(?:vorige|eerdere|bovenstaande|voorgaande|voorafgaande|hierboven|oorspronkelijke|tot nu toe)\b",
        r"\b(?:instructies?|opdrachten|regels|aanwijzingen|bevelen|richtlijnen|prompts?|berichten)\b",
        r"\b(?:toon|laat .{0,30}zien|geef|herhaal|onthul|print|schrijf|vertel)\b",
        r"\b(?:systeem-?prompt|systeeminstructies?|systeembericht|(?:verborgen|geheime|interne) instructies|(?:je|jouw|uw) instructies)\b",
        r"\b(?:je bent (?:nu|voortaan)|jij bent nu|u bent nu een|vanaf nu (?:ben|antwoord|reageer|zul|moet)|doe alsof|gedraag je als)\b",
        r"\b(?:als je een (?:ai|taalmodel|chatbot|assistent)|taalmodel|ai-?(?:assistent|model)|kunstmatige intelligentie|chat ?gpt|\bllm\b)\b",
    ),
    "sv": (  # and Danish and Norwegian
        r"\b(?:ignorer(?:a)?|glem|glom|bortse|se bort fra|folj inte|folg ikke|følg ikke|strunta i)\b",
        r"\b(?:tidligere|forrige|ovenst\w+|tidigare|foregaende|foregående|ovan|hittil|hittills|oprindelige|ursprungliga)\b",
        r"\b(?:instruk\w+|anvisning\w*|regler\w*|ordre\w*|order|kommando\w*|beskeder|meldinger)\b",
        r"\b(?:vis|visa|gentag|gjenta|upprepa|afslør|avslør|avsloja|skriv)\b",
        r"\b(?:systemprompt\w*|systeminstruk\w*|systembesked\w*|systemmeld\w*|dine instruk\w+|dina instruk\w+)\b",
        r"\b(?:du er nu|du er na|du ar nu|fra nu af|fra na av|fran och med nu|lad som om|lat som)\b",
        r"\b(?:sprogmodel\w*|spraakmodell\w*|sprakmodell\w*|ai-?(?:assistent|model)\w*|chat ?gpt|chatbot)\b",
    ),
    "pl": (
        r"\b(?:zignoruj\w*|ignoruj\w*|zapomnij\w*|pomin\w*|nie (?:stosuj|przestrzegaj|wykonuj)\w*|odrzuc\w*|omin\w*)",
        r"\b(?:poprzedni\w+|wczesniejsz\w+|powyzsz\w+|dotychczasow\w+|pierwotn\w+)",
        r"(?:instrukcj\w+|polece\w+|zasad\w*|wytyczn\w+|rozkaz\w+|prompt\w*|regu[lł]\w*)",
        r"\b(?:ujawnij|pokaz|wyswietl|powtorz|wypisz|podaj|zdradz)\w*",
        r"(?:prompt\w* systemow\w+|systemow\w+ prompt\w*|instrukcj\w+ systemow\w+|(?:ukryt|tajn)\w+ instrukcj\w+|swoje instrukcje|twoje instrukcje)",
        r"\b(?:jestes teraz|od teraz (?:jestes|odpowiadaj\w*|bedziesz)|udawaj|wciel sie|zachowuj sie jak)\b",
        r"(?:jesli jestes (?:sztuczn\w+|modelem|ai)|model\w* jezykow\w+|asystent\w* ai|sztuczn\w+ inteligencj\w+|chat ?gpt|chatbot)",
    ),
    "tr": (
        r"(?:gormezden gel\w*|yok say\w*|unut(?:un|unuz)?\b|dikkate alma\w*|goz ardi et\w*|uyma\b|uymay\w+|gec\w*siz say\w*)",
        r"(?:onceki|yukaridaki|evvelki|daha once\w*|simdiye kadar\w*|ilk)",
        r"(?:talimat\w*|yonerge\w*|komut\w*|kural\w*|emir\w*|istem\w*|prompt\w*|mesaj\w*)",
        r"(?:goster\w*|acikla\w*|yazdir\w*|tekrarla\w*|soyle\w*|ifsa et\w*|paylas\w*)",
        r"(?:sistem (?:istem|prompt|talimat|mesaj)\w*|gizli talimat\w*|kendi talimat\w*)",
        r"(?:artik (?:sen|bir|sinirsiz)|sen artik|bundan (?:sonra|boyle)|gibi davran\w*|rolunu yap\w*)",
        r"(?:yapay zeka\w*|dil model\w*|chat ?gpt|sohbet robotu)",
    ),
    "ru": (
        r"(?:игнорируй\w*|проигнорируй\w*|забудь\w*|не (?:следуй|выполняй|обращай|учитывай)\w*|пренебреги\w*|отбрось\w*|обойди\w*|отмени\w*)",
        r"(?:предыдущ\w+|прежн\w+|вышеуказанн\w+|вышеизложенн\w+|выше\b|прошл\w+|ранее|первоначальн\w+|исходн\w+)",
        r"(?:инструкци\w+|указани\w+|команд\w+|правил\w*|приказ\w*|распоряжени\w+|промпт\w*|подсказк\w+|сообщени\w+)",
        r"(?:покажи\w*|раскрои\w*|раскрой\w*|выведи\w*|повтори\w*|напечатаи\w*|напечатай\w*|сообщи\w*|напиши\w*)",
        r"(?:системн\w+ (?:промпт|подсказк|инструкци|сообщени|запрос)\w*|(?:скрыт|секретн|внутренн)\w+ инструкци\w+|(?:свои|твои|ваши) инструкци\w+)",
        r"(?:ты теперь|теперь ты|вы теперь|отныне (?:ты|вы|отвечаи\w*|отвечай\w*)|с этого момента (?:ты|вы|отвеча\w+)|деиствуи как|действуй как|веди себя как|притворись|представь, что ты)",
        r"(?:если (?:ты|вы) (?:языков|искусствен|чат|ии|ассистент|ai)\w*|языков\w+ модел\w+|искусственн\w+ интеллект\w*|чат-?бот\w*|ии-?(?:ассистент|модел)\w*|chat ?gpt)",
    ),
    "zh": (
        r"(?:忽略|無視|无视|忘记|忘記|忘掉|不要(?:理会|理會|遵守|遵循|执行|執行)|不用(?:理会|遵守)|别管|停止遵循|拋棄|抛弃|绕过|繞過|取消)",
        r"(?:之前|以前|先前|以上|上面|前面|上述|此前|原来|原來|原有|初始|系统|系統)",
        r"(?:指令|指示|说明|說明|规则|規則|命令|提示词?|提示詞|要求|设定|設定|限制|消息|訊息)",
        r"(?:显示|顯示|输出|輸出|透露|泄露|洩露|重复|重複|打印|告诉我|告訴我|复述|複述|说出|展示)",
        r"(?:系统提示|系統提示|系统指令|系統指令|隐藏(?:的)?指令|隱藏(?:的)?指令|初始提示|你的(?:指令|提示|设定))",
        r"(?:你现在是|你現在是|从现在(?:开始|起)|從現在(?:開始|起)|扮演|假装你|假裝你|你将成为|请以.{1,20}的身份)",
        r"(?:如果你是(?:一个|一個)?(?:ai|人工智能|人工智慧|语言模型|語言模型|机器人|助手)|语言模型|語言模型|ai ?助手|ai ?模型|大模型|聊天机器人)",
    ),
    "ja": (
        r"(?:無視|忘れ|従わない|従うな|破棄し|取り消し|無効に)",
        r"(?:以前|これまで|上記|前述|先ほど|今まで|前の|元の|最初の|システム)",
        r"(?:指示|命令|ルール|プロンプト|規則|制約|メッセージ|ガイドライン)",
        r"(?:表示し|出力し|教えて|明かし|繰り返し|公開し|示し|書き出し|開示し)",
        r"(?:システムプロンプト|システム(?:の)?(?:指示|メッセージ)|隠(?:された|れた)指示|初期プロンプト|あなたの指示)",
        r"(?:あなたは(?:今|これ)から|今からあなたは|これからあなたは|になりきって|のふりをし|として振る舞|役を演じ)",
        r"(?:あなたが(?:ai|人工知能|言語モデル)|言語モデル|aiアシスタント|aiモデル|人工知能|チャットボット|生成ai)",
    ),
    "ko": (
        r"(?:무시하|무시해|잊어|잊으|따르지 (?:마|말)|폐기하|취소하)",
        r"(?:이전|앞선|위의|지금까지|기존|앞의|원래|시스템)",
        r"(?:지시|명령|규칙|프롬프트|지침|안내|메시지|제약)",
        r"(?:보여|출력|알려|공개|반복|말해|표시)",
        r"(?:시스템 ?프롬프트|시스템 ?(?:지시|메시지|지침)|숨겨진 ?(?:지시|지침)|너의 ?지시|당신의 ?지시)",
        r"(?:너는 이제|당신은 이제|이제부터|지금부터|인 척|역할을 (?:해|하|맡)|처럼 행동)",
        r"(?:언어 ?모델|인공지능|ai ?(?:어시스턴트|비서|모델)|챗봇|챗gpt)",
    ),
    "ar": (
        r"(?:تجاهل\w*|انس\b|انسى|إنس\b|انسوا|لا تتبع\w*|تغاضى|تجاوز|أهمل\w*|اهمل\w*|ألغ\b|الغ\b)",
        r"(?:السابق\w*|سابق\w*|أعلاه|اعلاه|السالف\w*|الأصلية|الاصلية|المذكورة|ما سبق|قبل ذلك)",
        r"(?:التعليمات|تعليمات\w*|الأوامر|الاوامر|أوامر|اوامر|القواعد|قواعد|التوجيهات|توجيهات\w*|الرسائل|الإرشادات)",
        r"(?:اعرض|أظهر|اظهر|اكشف|كرر|اطبع|أخبرني|اخبرني|اكتب|سرب)",
        r"(?:موجه النظام|رسالة النظام|تعليمات النظام|التعليمات (?:المخفية|السرية|الداخلية)|تعليماتك)",
        r"(?:أنت الآن|انت الان|أنت الان|من الآن فصاعدا|من الان فصاعدا|تصرف ك\w*|تظاهر\w*|العب دور)",
        r"(?:نموذج لغوي|نموذج اللغة|الذكاء الاصطناعي|ذكاء اصطناعي|روبوت (?:محادثة|الدردشة)|مساعد ذكي)",
    ),
    "hi": (
        r"(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा\w*|भूल\b|उपेक्षा|पालन न|पालन मत|मत मान\w*|रद्द कर\w*)",
        r"(?:पिछल\w*|पहले|पूर्व|ऊपर|अब तक|उपरोक्त)",
        r"(?:निर्देश\w*|आदेश\w*|नियम\w*|प्रॉम्प्ट|संदेश\w*|हिदायत\w*)",
        r"(?:दिखा\w*|बता\w*|प्रकट|दोहरा\w*|प्रिंट|उजागर)",
        r"(?:सिस्टम (?:प्रॉम्प्ट|निर्देश|संदेश)\w*|छिपे (?:हुए )?निर्देश\w*|अपने निर्देश\w*)",
        r"(?:अब (?:तुम|आप) एक|अब से (?:तुम|आप)|की तरह व्यवहार|का नाटक|की भूमिका)",
        r"(?:भाषा मॉडल|एआई|कृत्रिम बुद्धिमत्ता|चैटबॉट|ai (?:सहायक|मॉडल))",
    ),
}  # fmt: skip
_FOLD_TO_ASCII = frozenset({"es", "fr", "de", "it", "pt", "nl", "sv", "pl", "tr"})


@cache
def _lexicons(*, ascii_only: bool) -> tuple[_Lexicon, ...]:
    """Compiles the words, at first use."""
    return tuple(
        _Lexicon(*map(re.compile, words))
        for language, words in _WORDS.items()
        if not ascii_only or language in _FOLD_TO_ASCII
    )


def translated(text: str) -> Iterator[Match]:
    """Finds attacks in any of the languages.

    Args:
        text: Normalized text.

    Yields:
        At most one match a language and rule, the first.
    """
    for words in _lexicons(ascii_only=text.isascii()):
        for kind, weight, why, sets in (
            ("override", 0.75, "asks to ignore earlier instructions", (words.ignore, words.instructions, words.earlier)),
            ("override", 0.4, "asks to ignore what was said before", (words.ignore, words.earlier)),
            ("reveal", 0.7, "asks for hidden instructions", (words.show, words.hidden)),
            ("role", 0.7, "gives the model another role", (words.role, words.model)),
            ("role", 0.45, "gives the reader another role", (words.role,)),
        ):
            span = _together(text, sets)
            if span is not None:
                yield Match(kind, weight, why, *span)


def _together(text: str, sets: Sequence[re.Pattern[str]]) -> tuple[int, int] | None:
    """The first stretch of a sentence that holds a word of each set, none upon another."""
    for match in islice(sets[0].finditer(text), _MATCHES):
        low, high = sentence(text, *match.span())
        low, high = max(low, match.start() - _REACH), min(high, match.end() + _REACH)
        found = [match.span()]
        for words in sets[1:]:
            spans = (other.span() for other in words.finditer(text, low, high))
            free = next((s for s in spans if all(s[1] <= f[0] or f[1] <= s[0] for f in found)), None)
            if free is None:
                break
            found.append(free)
        else:
            return min(start for start, _ in found), max(end for _, end in found)
    return None
