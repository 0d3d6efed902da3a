# ruff: noqa: RUF001 - sentences in many scripts
"""Refusals in other languages than English, beside statements that look like them."""

import pytest

from trail_callbacks.claims import abstains
from trail_callbacks.language.speech import LANGUAGES, refuses, withholds

REFUSALS = {
    "de": ["Das weiß ich leider nicht.", "Ich kann diese Frage nicht beantworten.",
           "Ich weiß nicht, wer die Mühle gebaut hat.", "Dazu habe ich keine Informationen."],
    "fr": ["Je ne sais pas.", "Désolé, je ne peux pas répondre à cette question.",
           "Je n'ai pas d'information sur ce sujet.", "Les documents ne mentionnent pas la hauteur du pont."],
    "es": ["No lo sé.", "Lo siento, pero no puedo responder a esa pregunta.", "No tengo información sobre eso.",
           "El contexto no menciona la altura del puente."],
    "it": ["Non lo so.", "Mi dispiace, non posso rispondere a questa domanda.", "Non ho informazioni al riguardo.",
           "I documenti non menzionano l'altezza del ponte."],
    "pt": ["Não sei.", "Desculpe, não posso responder a essa pergunta.", "Não tenho informações sobre isso.",
           "O contexto não menciona a altura da ponte."],
    "nl": ["Dat weet ik niet.", "Sorry, ik kan deze vraag niet beantwoorden.", "Ik heb daar geen informatie over.",
           "De documenten bevatten geen informatie over de hoogte van de brug."],
    "pl": ["Nie wiem.", "Przepraszam, nie mogę odpowiedzieć na to pytanie.", "Nie mam informacji na ten temat.",
           "Dokumenty nie zawierają informacji o wysokości mostu."],
    "ru": ["Я не знаю.", "К сожалению, я не могу ответить на этот вопрос.", "У меня нет информации об этом.",
           "В документах нет информации о высоте моста."],
    "tr": ["Bilmiyorum.", "Üzgünüm, bu soruya cevap veremiyorum.", "Bu konuda bilgim yok.",
           "Köprünün yüksekliği hakkında bilgi bulamadım."],
    "zh": ["我不知道。", "抱歉，我无法回答这个问题。", "文档中没有提到相关信息。", "对不起，没有找到相关资料。"],
    "ja": ["わかりません。", "申し訳ありませんが、その質問にはお答えできません。", "提供された文書には記載されていません。", "橋の高さに関する情報は見つかりませんでした。"],
    "ko": ["모르겠습니다.", "죄송합니다만 그 질문에 답변할 수 없습니다.", "다리 높이에 대한 정보를 찾을 수 없습니다.", "제공된 문서에는 그 내용이 나와 있지 않습니다."],
    "ar": ["لا أعرف.", "عذراً، لا أستطيع الإجابة على هذا السؤال.", "ليس لدي معلومات عن ذلك.",
           "المصادر المتاحة لا تذكر ارتفاع الجسر."],
    "hi": ["मुझे नहीं पता।", "क्षमा करें, मैं इस प्रश्न का उत्तर नहीं दे सकता।",
           "मेरे पास इस बारे में जानकारी नहीं है।", "दिए गए दस्तावेज़ों में इसका उल्लेख नहीं है।"],
    "id": ["Saya tidak tahu.", "Maaf, saya tidak dapat menjawab pertanyaan itu.",
           "Saya tidak memiliki informasi tentang hal itu.", "Dokumen tersebut tidak menyebutkan tinggi jembatan."],
    "vi": ["Tôi không biết.", "Xin lỗi, tôi không thể trả lời câu hỏi này.", "Tôi không có thông tin về điều đó.",
           "Tài liệu không đề cập chiều cao của cây cầu."],
}  # fmt: skip
STATEMENTS = {
    "de": ["Der Hafen ist nicht bekannt für seine Strände.", "Ich weiß nicht, aber die Brücke ist sehr hoch.",
           "Die Mühle hat keine Angaben nötig.", "Niemand weiß, wer die Mühle gebaut hat."],
    "fr": ["Le port n'est pas connu pour ses plages.", "Je ne sais pas, mais le pont est rouge.",
           "Le moulin ne contient pas de farine.", "Le capitaine ne sait pas nager."],
    "es": ["El puerto no es conocido por sus playas.", "No lo sé, pero el puente es rojo.",
           "El molino no tiene información turística.", "El capitán no sabe nadar."],
    "it": ["Il porto non è noto per le sue spiagge.", "Non lo so, ma il ponte è rosso.",
           "Il capitano non sa nuotare.", "Non ci sono treni la domenica."],
    "pt": ["O porto não é conhecido pelas praias.", "Não sei, mas a ponte é vermelha.", "O capitão não sabe nadar.",
           "Não há comboios ao domingo."],
    "nl": ["De haven is niet bekend om zijn stranden.", "Ik weet het niet, maar de brug is rood.",
           "De kapitein weet het niet.", "Er is geen trein op zondag."],
    "pl": ["Port nie jest znany z plaż.", "Nie wiem, ale most jest czerwony.", "Kapitan nie wie, gdzie jest port.",
           "Most nie ma poręczy."],
    "ru": ["Порт не известен своими пляжами.", "Я не знаю, но мост красный.", "Капитан не знает дороги.",
           "На мосту нет перил."],
    "tr": ["Liman plajlarıyla bilinmiyor değil.", "Bilmiyorum, ama köprü kırmızı.", "Kaptan yüzme bilmiyor.",
           "Pazar günü tren yok."],
    "zh": ["这个港口不以海滩闻名。", "我不知道，但是桥是红色的。", "船长不知道路。", "星期天没有火车。"],
    "ja": ["この港は海岸で有名ではありません。", "わかりませんが、橋は赤いです。", "日曜日に電車はありません。", "残念ながら、橋は閉まっています。"],
    "ko": ["이 항구는 해변으로 유명하지 않습니다.", "모르겠습니다, 하지만 다리는 빨간색입니다.", "일요일에는 기차가 없습니다.", "안타깝게도 다리는 닫혀 있습니다."],
    "ar": ["الميناء غير معروف بشواطئه.", "لا أعرف، لكن الجسر أحمر.", "القبطان لا يعرف الطريق.",
           "لا توجد قطارات يوم الأحد."],
    "hi": ["बंदरगाह समुद्र तटों के लिए नहीं जाना जाता।", "मुझे नहीं पता, लेकिन पुल लाल है।",
           "रविवार को कोई ट्रेन नहीं है।", "कुएँ में पानी नहीं है।"],
    "id": ["Pelabuhan itu tidak terkenal karena pantainya.", "Saya tidak tahu, tetapi jembatan itu merah.",
           "Tidak ada kereta pada hari Minggu.", "Kapten tidak tahu jalan."],
    "vi": ["Bến cảng không nổi tiếng vì bãi biển.", "Tôi không biết, nhưng cây cầu màu đỏ.",
           "Không có tàu vào Chủ nhật.", "Thuyền trưởng không biết bơi."],
}  # fmt: skip


def test_every_language_has_sentences_of_both_kinds():
    assert set(REFUSALS) == set(STATEMENTS) == set(LANGUAGES)


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in REFUSALS.items() for text in texts])
def test_refusals(code, text):
    assert refuses(text)
    assert abstains(text)


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in STATEMENTS.items() for text in texts])
def test_statements_are_never_refusals(code, text):
    assert not refuses(text)
    assert not abstains(text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_refusal_beside_a_statement_is_no_abstention(code):
    for refusal, statement in zip(REFUSALS[code], STATEMENTS[code], strict=False):
        assert not abstains(f"{refusal} {statement}")
        assert not abstains(f"{statement}\n\n{refusal}")


def test_an_unknown_language_and_hostile_lengths_are_statements():
    assert not abstains("En tiedä.")
    assert not refuses("ich weiß nicht, wer " * 50)
    assert not refuses("我不知道" + "橋" * 5_000)


@pytest.mark.parametrize(
    ("clause", "is_rule", "expected"),
    [
        ("Not mentioned in the provided context", False, True),
        ("the fee isn't given", False, True),
        ("ce n'est pas indiqué", False, True),
        ("it is known to be 40", False, False),
        ("newspapers cannot be found on loan", True, False),  # a rule
        ("the documents do not say whether they can", True, True),
    ],
)
def test_a_clause_may_withhold_without_being_a_sentence(clause, is_rule, expected):
    assert withholds(clause, is_rule=is_rule) is expected
