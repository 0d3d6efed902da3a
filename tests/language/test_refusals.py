# ruff: noqa: RUF001 - sentences in many scripts
"""Refusals in other languages than English, beside statements that look like them."""

import pytest

from trail_callbacks.claims import abstains
from trail_callbacks.language.speech import LANGUAGES, refuses, withholds

REFUSALS = {
    "de": ["Ich kann diese Frage nicht beantworten.", "Dazu habe ich keine Informationen."],
    "fr": ["Désolé, je ne peux pas répondre à cette question.", "Les documents ne mentionnent pas la hauteur du pont."],
    "es": ["Lo siento, pero no puedo responder a esa pregunta.", "El contexto no menciona la altura del puente."],
    "it": ["Mi dispiace, non posso rispondere a questa domanda.", "I documenti non menzionano l'altezza del ponte."],
    "pt": ["Desculpe, não posso responder a essa pergunta.", "O contexto não menciona a altura da ponte."],
    "nl": ["Sorry, ik kan deze vraag niet beantwoorden.", "De documenten bevatten geen informatie over de hoogte van de brug."],
    "pl": ["Przepraszam, nie mogę odpowiedzieć na to pytanie.", "Dokumenty nie zawierają informacji o wysokości mostu."],
    "ru": ["К сожалению, я не могу ответить на этот вопрос.", "В документах нет информации о высоте моста."],
    "tr": ["Üzgünüm, bu soruya cevap veremiyorum.", "Köprünün yüksekliği hakkında bilgi bulamadım."],
    "zh": ["抱歉，我无法回答这个问题。", "对不起，没有找到相关资料。"],
    "ja": ["申し訳ありませんが、その質問にはお答えできません。", "橋の高さに関する情報は見つかりませんでした。"],
    "ko": ["죄송합니다만 그 질문에 답변할 수 없습니다.", "제공된 문서에는 그 내용이 나와 있지 않습니다."],
    "ar": ["عذراً، لا أستطيع الإجابة على هذا السؤال.", "المصادر المتاحة لا تذكر ارتفاع الجسر."],
    "hi": ["क्षमा करें, मैं इस प्रश्न का उत्तर नहीं दे सकता।", "दिए गए दस्तावेज़ों में इसका उल्लेख नहीं है।"],
    "id": ["Maaf, saya tidak dapat menjawab pertanyaan itu.", "Dokumen tersebut tidak menyebutkan tinggi jembatan."],
    "vi": ["Xin lỗi, tôi không thể trả lời câu hỏi này.", "Tài liệu không đề cập chiều cao của cây cầu."],
}  # fmt: skip
STATEMENTS = {
    "de": ["Der Hafen ist nicht bekannt für seine Strände.", "Ich weiß nicht, aber die Brücke ist sehr hoch."],
    "fr": ["Le port n'est pas connu pour ses plages.", "Je ne sais pas, mais le pont est rouge."],
    "es": ["El puerto no es conocido por sus playas.", "No lo sé, pero el puente es rojo."],
    "it": ["Il porto non è noto per le sue spiagge.", "Non lo so, ma il ponte è rosso."],
    "pt": ["O porto não é conhecido pelas praias.", "Não sei, mas a ponte é vermelha."],
    "nl": ["De haven is niet bekend om zijn stranden.", "Ik weet het niet, maar de brug is rood."],
    "pl": ["Port nie jest znany z plaż.", "Nie wiem, ale most jest czerwony."],
    "ru": ["Порт не известен своими пляжами.", "Я не знаю, но мост красный."],
    "tr": ["Liman plajlarıyla bilinmiyor değil.", "Bilmiyorum, ama köprü kırmızı."],
    "zh": ["这个港口不以海滩闻名。", "我不知道，但是桥是红色的。"],
    "ja": ["この港は海岸で有名ではありません。", "わかりませんが、橋は赤いです。"],
    "ko": ["이 항구는 해변으로 유명하지 않습니다.", "모르겠습니다, 하지만 다리는 빨간색입니다."],
    "ar": ["الميناء غير معروف بشواطئه.", "لا أعرف، لكن الجسر أحمر."],
    "hi": ["बंदरगाह समुद्र तटों के लिए नहीं जाना जाता।", "मुझे नहीं पता, लेकिन पुल लाल है।"],
    "id": ["Pelabuhan itu tidak terkenal karena pantainya.", "Saya tidak tahu, tetapi jembatan itu merah."],
    "vi": ["Bến cảng không nổi tiếng vì bãi biển.", "Tôi không biết, nhưng cây cầu màu đỏ."],
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
