# ruff: noqa: E501, RUF001 - words of many scripts, a set a line
"""Instruction attacks in languages other than English, as words that must stand close together.

Word order differs too much for patterns, so a rule is two or three sets of words and fires where one of each stands
in the same sentence. That is coarser than English: translated attacks close to the known ones are found, new ideas are
not. Text is folded: small letters, Latin letters without accents.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["Lexicon", "lexicons"]


class Lexicon(NamedTuple):
    """The telling words of one language.

    Attributes:
        language: ISO 639-1 code.
        ignore: Asking to ignore, forget or not to follow, as orders.
        earlier: `previous`, `above`, `so far`.
        every: `all`, `your`, `any`.
        orders: `instructions`, `rules`, `prompt`.
        show: Asking to reveal, print or repeat.
        hidden: `system prompt`, `your instructions`.
        role: Giving the model another role.
        model: Addressing a model by what it is.
    """

    language: str
    ignore: re.Pattern[str]
    earlier: re.Pattern[str]
    every: re.Pattern[str]
    orders: re.Pattern[str]
    show: re.Pattern[str]
    hidden: re.Pattern[str]
    role: re.Pattern[str]
    model: re.Pattern[str]


_MODEL = r"\bia\b|inteligencia artificial|modelo de (?:lenguaje|linguagem)|chat ?gpt|chatbot|\bllm\b"
_WORDS = {
    "es": (
        r"\b(?:ignor(?:a|e|ad|en)|(?:(?<=[.:!?,;\n] )|(?<![\s\S]))(?:ignorar|olvidar|descartar)|olvid(?:a|e|ad|en)|descart(?:a|e)|haz caso omiso|haga caso omiso|no (?:sigas|siga|obedezcas|obedezca|hagas caso)|desobedec\w+|omite|anula|pasa por alto|deja de (?:seguir|obedecer))\b",
        r"\b(?:anterior(?:es|mente)?|previ[ao]s?|arriba|precedentes?|hasta ahora|original(?:es)?|del sistema|iniciales)\b",
        r"\b(?:tod[ao]s?|tus|cualquier)\b",
        r"\b(?:instrucci\w+|ordenes|reglas|indicaciones|directrices|prompts?|mensajes?|restricciones|directivas)\b",
        r"\b(?:revel\w+|muestr\w+|mostrar|imprim\w+|repit\w+|dime|escrib[ea]|devuelve|filtra)\b",
        r"\b(?:prompt (?:del|de) sistema|instrucciones (?:del sistema|ocultas|internas|iniciales)|tus instrucciones|tu prompt|mensaje de(?:l)? sistema)\b",
        r"\b(?:ahora eres|a partir de ahora (?:eres|seras|responde\w*|actua\w*|vas a)|actua como (?:si|un|una)|finge (?:ser|que)|hazte pasar)\b",
        rf"\b(?:eres (?:un |una )?(?:ia|modelo|asistente|chatbot)|si eres una? (?:{_MODEL})|asistente de ia)\b|{_MODEL}",
    ),
    "fr": (
        r"(?<!\ba )(?<!\bai )(?<!\bas )(?<!ont )(?<!\bete )\b(?:ignor(?:e|ez|ons)|(?:(?<=[.:!?,;\n] )|(?<![\s\S]))(?:ignorer|oublier)|oubli(?:e|ez)|ne (?:tiens|tenez) (?:pas |plus )?(?:aucun )?compte|fai(?:s|tes) abstraction|ne (?:suis|suivez|respecte|respectez|obeis) (?:pas|plus)|contourne\w*|neglige\w*|passe\w* outre|annule\w*)\b",
        r"\b(?:precedent(?:e|es|s)?|anterieur(?:e|es|s)?|ci dessus|ci-dessus|plus haut|d avant|d'avant|jusqu ici|jusqu'ici|initiales|d origine|d'origine|du systeme|recues)\b",
        r"\b(?:tou(?:t|te|tes|s)|vos|tes|n importe|n'importe)\b",
        r"\b(?:instructions?|consignes?|directives?|regles?|ordres?|prompts?|messages?|commandes?)\b",
        r"\b(?:revel\w+|affich\w+|montr\w+|repet\w+|imprim\w+|divulgu\w+|donne(?:z)?(?: moi|-moi)?|ecri(?:s|vez)|recopi\w+)\b",
        r"\b(?:prompt (?:du |de )?systeme|invite (?:du |de )?systeme|instructions (?:du |de )?systeme|instructions (?:cachees|internes|initiales|secretes)|(?:vos|tes) instructions|(?:votre|ton) prompt|message (?:du |de )?systeme)\b",
        r"\b(?:tu es (?:maintenant|desormais)|vous etes (?:maintenant|desormais)|(?:a partir de maintenant|desormais)\W+(?:tu|vous|reponds|repondez)|agis (?:comme|en tant)|agissez (?:comme|en tant)|fais semblant|faites semblant|comporte[- ]toi)\b",
        r"\b(?:si (?:tu es|vous etes) une? (?:ia|intelligence|modele|assistant)|modele de langage|assistant ia|chatbot|chat ?gpt|intelligence artificielle|\bllm\b)\b",
    ),
    "de": (
        r"\b(?:ignorier(?:e|t)|(?<!zu )ignorieren|vergiss|vergessen sie|vergesst|missachte\w*|uberspring\w*|verwirf|verwerfen sie|setze? .{0,30}ausser kraft|befolge\w* .{0,40}nicht|beachte\w* .{0,40}nicht|folge\w* .{0,40}nicht|umgeh(?:e|en))\b",
        r"\b(?:vorherige[nrms]?|vorige[nrms]?|bisherige[nrms]?|fruhere[nrms]?|obige[nrms]?|vorangegangene[nrms]?|vorangehende[nrms]?|oben|zuvor|bisher|ursprungliche[nrms]?|vorstehende[nrms]?|systemanweisung\w*)\b",
        r"\b(?:alle[nrms]?|deine[nrms]?|ihre|samtliche[nrms]?|jede[nrms]?)\b",
        r"\b(?:anweisung\w*|instruktion\w*|befehl\w*|regeln?|vorgaben?|richtlinien?|anordnung\w*|prompts?|systemprompt\w*|nachrichten|systemnachricht\w*)\b",
        r"\b(?:zeig\w*|gib|geben sie|nenn\w*|verrat\w*|wiederhol\w*|druck\w*|offenbar\w*|enthull\w*|schreib\w*)\b",
        r"(?:system-?prompts?|systemanweisung\w*|systemnachricht\w*|\b(?:versteckte|geheime|interne|ursprungliche)n? anweisung\w*|\bdeine anweisung\w*|\bihre anweisung\w*)",
        r"\b(?:du bist (?:jetzt|nun|ab sofort|ab jetzt)|sie sind (?:jetzt|nun|ab sofort) ein|ab (?:jetzt|sofort) (?:antworte\w*|bist|wirst|sollst)|verhalte dich (?:wie|als)|tu so,? als|gib dich als|spiele? die rolle)\b",
        r"\b(?:wenn du (?:eine? )?(?:ki|sprachmodell|chatbot|assistent)|sprachmodell\w*|ki-?(?:assistent|modell|system)\w*|kunstliche intelligenz|chat ?gpt|chatbot|\bllm\b)",
    ),
    "it": (
        r"\b(?:ignor(?:a|i|ate)|(?:(?<=[.:!?,;\n] )|(?<![\s\S]))(?:ignorare|dimenticare)|dimentic(?:a|hi|ate)|non (?:seguire|rispettare|tenere conto|considerare)|trascur(?:a|ate|are)|scarta|annulla|lascia perdere)\b",
        r"\b(?:precedent[ei]|prima|sopra|anterior[ei]|original[ei]|finora|di sistema|inizial[ei])\b",
        r"\b(?:tutt[eio]|tue|qualsiasi|ogni)\b",
        r"\b(?:istruzion[ei]|regol[ae]|ordin[ei]|comand[oi]|direttiv[ae]|prompt|messagg[io]|indicazion[ei])\b",
        r"\b(?:rivel\w+|mostr\w+|stamp\w+|ripet\w+|dimmi|scriv\w+|divulg\w+)\b",
        r"\b(?:prompt (?:di|del) sistema|istruzioni (?:di sistema|nascoste|interne|iniziali|segrete)|(?:le )?tue istruzioni|il tuo prompt|messaggio di sistema)\b",
        r"\b(?:ora sei|adesso sei|d ora in poi|d'ora in poi|da ora in poi (?:sei|rispond\w+)|agisci come|comportati come|fai finta|fingi di)\b",
        r"\b(?:se sei un(?:a|')? ?(?:ia|intelligenza|modello|assistente)|modello linguistico|assistente ia|intelligenza artificiale|chat ?gpt|chatbot|\bllm\b)\b",
    ),
    "pt": (
        r"\b(?:ignor(?:e|a|em)|(?:(?<=[.:!?,;\n] )|(?<![\s\S]))(?:ignorar|esquecer|desconsiderar)|esquec(?:a|am)|esquece|desconsider(?:e|a)|nao (?:siga|sigas|obedeca|obedecas|considere)|descarte|desobedec\w+|deixe de seguir)\b",
        r"\b(?:anterior(?:es|mente)?|previ[ao]s?|acima|precedentes?|ate agora|originais|do sistema|iniciais)\b",
        r"\b(?:tod[ao]s?|tuas|suas|qualquer)\b",
        r"\b(?:instruc\w+|ordens|regras|comandos|diretrizes|prompts?|mensage\w+|orientac\w+)\b",
        r"\b(?:revel\w+|mostr\w+|imprim\w+|repit\w+|diga|escrev\w+|exib\w+)\b",
        r"\b(?:prompt d[eo] sistema|instrucoes (?:do sistema|ocultas|internas|iniciais|secretas)|(?:suas|tuas) instrucoes|(?:seu|teu) prompt|mensagem d[eo] sistema)\b",
        r"\b(?:agora (?:voce e|tu es|es)|voce (?:agora )?e (?:agora )?um|a partir de agora|aja como|atue como|finja (?:ser|que))\b",
        rf"\b(?:se voce (?:e|for) uma? (?:ia|inteligencia|modelo|assistente)|assistente de ia)\b|{_MODEL}",
    ),
    "nl": (
        r"\b(?:negeer|vergeet|sla .{0,30}over|volg .{0,40}niet|laat .{0,40}buiten beschouwing|houd geen rekening|omzeil)\b",
        r"\b(?:vorige|eerdere|bovenstaande|voorgaande|voorafgaande|hierboven|oorspronkelijke|tot nu toe)\b",
        r"\b(?:alle|je|jouw|uw)\b",
        r"\b(?:instructies?|opdrachten|regels|aanwijzingen|bevelen|richtlijnen|prompts?|berichten)\b",
        r"\b(?:toon|laat .{0,30}zien|geef|herhaal|onthul|print|schrijf|vertel)\b",
        r"\b(?:systeem-?prompt|systeeminstructies?|systeembericht|(?:verborgen|geheime|interne) instructies|(?:je|jouw|uw) instructies)\b",
        r"\b(?:je bent (?:nu|voortaan)|jij bent nu|u bent nu een|vanaf nu (?:ben|antwoord|reageer|zul|moet)|doe alsof|gedraag je als)\b",
        r"\b(?:als je een (?:ai|taalmodel|chatbot|assistent)|taalmodel|ai-?(?:assistent|model)|kunstmatige intelligentie|chat ?gpt|\bllm\b)\b",
    ),
    "sv": (  # and Danish and Norwegian
        r"\b(?:ignorer(?:a)?|glem|glom|bortse|se bort fra|folj inte|folg ikke|følg ikke|strunta i)\b",
        r"\b(?:tidligere|forrige|ovenst\w+|tidigare|foregaende|foregående|ovan|hittil|hittills|oprindelige|ursprungliga)\b",
        r"\b(?:alle?|alla|dine|dina)\b",
        r"\b(?:instruk\w+|anvisning\w*|regler\w*|ordre\w*|order|kommando\w*|beskeder|meldinger)\b",
        r"\b(?:vis|visa|gentag|gjenta|upprepa|afslør|avslør|avsloja|skriv)\b",
        r"\b(?:systemprompt\w*|systeminstruk\w*|systembesked\w*|systemmeld\w*|dine instruk\w+|dina instruk\w+)\b",
        r"\b(?:du er nu|du er na|du ar nu|fra nu af|fra na av|fran och med nu|lad som om|lat som)\b",
        r"\b(?:sprogmodel\w*|spraakmodell\w*|sprakmodell\w*|ai-?(?:assistent|model)\w*|chat ?gpt|chatbot)\b",
    ),
    "pl": (
        r"\b(?:zignoruj\w*|ignoruj\w*|zapomnij\w*|pomin\w*|nie (?:stosuj|przestrzegaj|wykonuj)\w*|odrzuc\w*|omin\w*)",
        r"\b(?:poprzedni\w+|wczesniejsz\w+|powyzsz\w+|dotychczasow\w+|pierwotn\w+)",
        r"\b(?:wszystki\w+|swoj\w+|twoj\w+|wszelki\w+)",
        r"(?:instrukcj\w+|polece\w+|zasad\w*|wytyczn\w+|rozkaz\w+|prompt\w*|regu[lł]\w*)",
        r"\b(?:ujawnij|pokaz|wyswietl|powtorz|wypisz|podaj|zdradz)\w*",
        r"(?:prompt\w* systemow\w+|systemow\w+ prompt\w*|instrukcj\w+ systemow\w+|(?:ukryt|tajn)\w+ instrukcj\w+|swoje instrukcje|twoje instrukcje)",
        r"\b(?:jestes teraz|od teraz (?:jestes|odpowiadaj\w*|bedziesz)|udawaj|wciel sie|zachowuj sie jak)\b",
        r"(?:jesli jestes (?:sztuczn\w+|modelem|ai)|model\w* jezykow\w+|asystent\w* ai|sztuczn\w+ inteligencj\w+|chat ?gpt|chatbot)",
    ),
    "tr": (
        r"(?:gormezden gel\w*|yok say\w*|unut(?:un|unuz)?\b|dikkate alma\w*|goz ardi et\w*|uyma\b|uymay\w+|gec\w*siz say\w*)",
        r"(?:onceki|yukaridaki|evvelki|daha once\w*|simdiye kadar\w*|ilk)",
        r"\b(?:tum|butun|her)\b",
        r"(?:talimat\w*|yonerge\w*|komut\w*|kural\w*|emir\w*|istem\w*|prompt\w*|mesaj\w*)",
        r"(?:goster\w*|acikla\w*|yazdir\w*|tekrarla\w*|soyle\w*|ifsa et\w*|paylas\w*)",
        r"(?:sistem (?:istem|prompt|talimat|mesaj)\w*|gizli talimat\w*|kendi talimat\w*)",
        r"(?:artik (?:sen|bir|sinirsiz)|sen artik|bundan (?:sonra|boyle)|gibi davran\w*|rolunu yap\w*)",
        r"(?:yapay zeka\w*|dil model\w*|chat ?gpt|sohbet robotu)",
    ),
    "ru": (
        r"(?:игнорируй\w*|проигнорируй\w*|(?:(?<=[.:!?,;\n] )|(?<![\s\S]))игнорировать|забудь\w*|не (?:следуй|выполняй|обращай|учитывай)\w*|пренебреги\w*|отбрось\w*|обойди\w*|отмени\w*)",
        r"(?:предыдущ\w+|прежн\w+|вышеуказанн\w+|вышеизложенн\w+|выше\b|прошл\w+|ранее|первоначальн\w+|исходн\w+)",
        r"(?:все[хм]?\b|всю\b|свои\b|твои\b|любые|ваши\b)",
        r"(?:инструкци\w+|указани\w+|команд\w+|правил\w*|приказ\w*|распоряжени\w+|промпт\w*|подсказк\w+|сообщени\w+)",
        r"(?:покажи\w*|раскрои\w*|раскрой\w*|выведи\w*|повтори\w*|напечатаи\w*|напечатай\w*|сообщи\w*|напиши\w*)",
        r"(?:системн\w+ (?:промпт|подсказк|инструкци|сообщени|запрос)\w*|(?:скрыт|секретн|внутренн)\w+ инструкци\w+|(?:свои|твои|ваши) инструкци\w+)",
        r"(?:ты теперь|теперь ты|вы теперь|отныне (?:ты|вы|отвечаи\w*|отвечай\w*)|с этого момента (?:ты|вы|отвеча\w+)|деиствуи как|действуй как|веди себя как|притворись|представь, что ты)",
        r"(?:если (?:ты|вы) (?:языков|искусствен|чат|ии|ассистент|ai)\w*|языков\w+ модел\w+|искусственн\w+ интеллект\w*|чат-?бот\w*|ии-?(?:ассистент|модел)\w*|chat ?gpt)",
    ),
    "uk": (
        r"(?:ігноруй\w*|ігноруи\w*|проігноруй\w*|забудь\w*|не (?:виконуй|дотримуйся|зважай|враховуй)\w*|відкинь\w*)",
        r"(?:попередн\w+|вищевказан\w+|вище\b|раніше|початков\w+)",
        r"(?:всі\b|усі\b|свої\b|твої\b|будь-які)",
        r"(?:інструкці\w+|вказівк\w+|команд\w*|правил\w*|наказ\w*|промпт\w*)",
        r"(?:покажи\w*|розкрий\w*|виведи\w*|повтори\w*|надрукуй\w*|напиши\w*)",
        r"(?:системн\w+ (?:промпт|підказк|інструкці|повідомленн)\w*|(?:прихован|таємн)\w+ інструкці\w+|свої інструкці\w+)",
        r"(?:ти тепер|тепер ти|ви тепер|відтепер|віднині|дій як|поводься як|уяви, що ти)",
        r"(?:мовн\w+ модел\w+|штучн\w+ інтелект\w*|чат-?бот\w*|chat ?gpt)",
    ),
    "zh": (
        r"(?:忽略|無視|无视|忘记|忘記|忘掉|不要(?:理会|理會|遵守|遵循|执行|執行)|不用(?:理会|遵守)|别管|停止遵循|拋棄|抛弃|绕过|繞過|取消)",
        r"(?:之前|以前|先前|以上|上面|前面|上述|此前|原来|原來|原有|初始|系统|系統)",
        r"(?:所有|一切|全部|任何|你的)",
        r"(?:指令|指示|说明|說明|规则|規則|命令|提示词?|提示詞|要求|设定|設定|限制|消息|訊息)",
        r"(?:显示|顯示|输出|輸出|透露|泄露|洩露|重复|重複|打印|告诉我|告訴我|复述|複述|说出|展示)",
        r"(?:系统提示|系統提示|系统指令|系統指令|隐藏(?:的)?指令|隱藏(?:的)?指令|初始提示|你的(?:指令|提示|设定))",
        r"(?:你现在是|你現在是|从现在(?:开始|起)|從現在(?:開始|起)|扮演|假装你|假裝你|你将成为|请以.{1,20}的身份)",
        r"(?:如果你是(?:一个|一個)?(?:ai|人工智能|人工智慧|语言模型|語言模型|机器人|助手)|语言模型|語言模型|ai ?助手|ai ?模型|大模型|聊天机器人)",
    ),
    "ja": (
        r"(?:無視|忘れ|従わない|従うな|破棄し|取り消し|無効に)",
        r"(?:以前|これまで|上記|前述|先ほど|今まで|前の|元の|最初の|システム)",
        r"(?:すべて|全て|あらゆる|全部|あなたの)",
        r"(?:指示|命令|ルール|プロンプト|規則|制約|メッセージ|ガイドライン)",
        r"(?:表示し|出力し|教えて|明かし|繰り返し|公開し|示し|書き出し|開示し)",
        r"(?:システムプロンプト|システム(?:の)?(?:指示|メッセージ)|隠(?:された|れた)指示|初期プロンプト|あなたの指示)",
        r"(?:あなたは(?:今|これ)から|今からあなたは|これからあなたは|になりきって|のふりをし|として振る舞|役を演じ)",
        r"(?:あなたが(?:ai|人工知能|言語モデル)|言語モデル|aiアシスタント|aiモデル|人工知能|チャットボット|生成ai)",
    ),
    "ko": (
        r"(?:무시하|무시해|잊어|잊으|따르지 (?:마|말)|폐기하|취소하)",
        r"(?:이전|앞선|위의|지금까지|기존|앞의|원래|시스템)",
        r"(?:모든|모두|전부|당신의|너의)",
        r"(?:지시|명령|규칙|프롬프트|지침|안내|메시지|제약)",
        r"(?:보여|출력|알려|공개|반복|말해|표시)",
        r"(?:시스템 ?프롬프트|시스템 ?(?:지시|메시지|지침)|숨겨진 ?(?:지시|지침)|너의 ?지시|당신의 ?지시)",
        r"(?:너는 이제|당신은 이제|이제부터|지금부터|인 척|역할을 (?:해|하|맡)|처럼 행동)",
        r"(?:언어 ?모델|인공지능|ai ?(?:어시스턴트|비서|모델)|챗봇|챗gpt)",
    ),
    "ar": (
        r"(?:تجاهل\w*|انس\b|انسى|إنس\b|انسوا|لا تتبع\w*|تغاضى|تجاوز|أهمل\w*|اهمل\w*|ألغ\b|الغ\b)",
        r"(?:السابق\w*|سابق\w*|أعلاه|اعلاه|السالف\w*|الأصلية|الاصلية|المذكورة|ما سبق|قبل ذلك)",
        r"(?:جميع|كل\b|كافة|أي\b)",
        r"(?:التعليمات|تعليمات\w*|الأوامر|الاوامر|أوامر|اوامر|القواعد|قواعد|التوجيهات|توجيهات\w*|الرسائل|الإرشادات)",
        r"(?:اعرض|أظهر|اظهر|اكشف|كرر|اطبع|أخبرني|اخبرني|اكتب|سرب)",
        r"(?:موجه النظام|رسالة النظام|تعليمات النظام|التعليمات (?:المخفية|السرية|الداخلية)|تعليماتك)",
        r"(?:أنت الآن|انت الان|أنت الان|من الآن فصاعدا|من الان فصاعدا|تصرف ك\w*|تظاهر\w*|العب دور)",
        r"(?:نموذج لغوي|نموذج اللغة|الذكاء الاصطناعي|ذكاء اصطناعي|روبوت (?:محادثة|الدردشة)|مساعد ذكي)",
    ),
    "hi": (
        r"(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा\w*|भूल\b|उपेक्षा|पालन न|पालन मत|मत मान\w*|रद्द कर\w*)",
        r"(?:पिछल\w*|पहले|पूर्व|ऊपर|अब तक|उपरोक्त)",
        r"(?:सभी|सारे|समस्त|अपने|हर)",
        r"(?:निर्देश\w*|आदेश\w*|नियम\w*|प्रॉम्प्ट|संदेश\w*|हिदायत\w*)",
        r"(?:दिखा\w*|बता\w*|प्रकट|दोहरा\w*|प्रिंट|उजागर)",
        r"(?:सिस्टम (?:प्रॉम्प्ट|निर्देश|संदेश)\w*|छिपे (?:हुए )?निर्देश\w*|अपने निर्देश\w*)",
        r"(?:अब (?:तुम|आप) एक|अब से (?:तुम|आप)|की तरह व्यवहार|का नाटक|की भूमिका)",
        r"(?:भाषा मॉडल|एआई|कृत्रिम बुद्धिमत्ता|चैटबॉट|ai (?:सहायक|मॉडल))",
    ),
}  # fmt: skip


_LATIN = frozenset({"es", "fr", "de", "it", "pt", "nl", "sv", "pl", "tr"})


@cache
def lexicons(*, latin: bool = False) -> tuple[Lexicon, ...]:
    """Compiles the words at first use; with `latin` only those of languages that fold to ASCII."""
    return tuple(
        Lexicon(language, *map(re.compile, written))
        for language, written in _WORDS.items()
        if not latin or language in _LATIN
    )
