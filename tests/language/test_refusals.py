# ruff: noqa: RUF001 - sentences in many scripts
"""Refusals in other languages than English, beside statements that look like them."""

import pytest

from trail_callbacks import check
from trail_callbacks.claims import abstains
from trail_callbacks.language.refusals import LANGUAGES, refuses

REFUSALS = {
    "de": ["Das weiß ich leider nicht.", "Ich kann diese Frage nicht beantworten.",
           "Ich weiß nicht, wer die Mühle gebaut hat.", "Dazu habe ich keine Informationen.",
           "Die Dokumente enthalten keine Angaben zur Höhe der Brücke.",
           "Es tut mir leid, aber ich habe dazu keine Angaben.", "Im Kontext steht dazu nichts.", "Unbekannt.",
           "Dazu kann ich leider nichts sagen.", "Das geht aus den Texten nicht hervor.",
           "Mir fehlen die nötigen Informationen.", "Keine Ahnung.", "In den Dokumenten wird das nicht erwähnt.",
           "Leider liegen mir dazu keine Daten vor.", "Diese Frage lässt sich anhand der Texte nicht beantworten.",
           "Darauf kann ich keine Antwort geben.", "Ich bin nicht sicher, wer das gebaut hat."],
    "fr": ["Je ne sais pas.", "Désolé, je ne peux pas répondre à cette question.",
           "Je n'ai pas d'information sur ce sujet.", "Les documents ne mentionnent pas la hauteur du pont.",
           "Malheureusement, je n\u2019ai trouvé aucune réponse.", "Je ne sais pas qui a construit le moulin.",
           "Je n'ai aucune information à ce sujet.", "Je ne connais pas la réponse.",
           "Le texte ne précise pas la date.", "Aucune idée.", "Cette information n'est pas disponible.",
           "Désolé, je l'ignore.", "Le document ne contient pas cette information.",
           "Je ne suis pas en mesure de répondre.", "Je n'ai pas la réponse."],
    "es": ["No lo sé.", "Lo siento, pero no puedo responder a esa pregunta.", "No tengo información sobre eso.",
           "El contexto no menciona la altura del puente.", "No sé quién construyó el molino.",
           "Lamentablemente, no dispongo de datos.", "Desconozco la respuesta.", "El texto no indica la fecha.",
           "No puedo ayudarte con eso.", "No se menciona en los documentos.", "Ni idea.",
           "No dispongo de esa información.", "Las fuentes no dicen cuándo abrió el puerto.",
           "No encuentro esa información en los documentos.", "Lo siento, no tengo suficiente información para responder."],
    "it": ["Non lo so.", "Mi dispiace, non posso rispondere a questa domanda.", "Non ho informazioni al riguardo.",
           "I documenti non menzionano l'altezza del ponte.", "Purtroppo non so chi ha costruito il mulino.",
           "Non conosco la risposta.", "Il testo non indica la data.", "Non sono in grado di rispondere.",
           "Non è specificato nel testo.", "Non ne ho idea.", "Mi dispiace, non ho dati su questo.",
           "Le fonti non dicono quando fu aperto il porto.",
           "Non trovo informazioni sul porto.", "Mi dispiace, non lo so."],
    "pt": ["Não sei.", "Desculpe, não posso responder a essa pergunta.", "Não tenho informações sobre isso.",
           "O contexto não menciona a altura da ponte.", "Infelizmente, não sei quem construiu o moinho.",
           "Desconheço a resposta.", "O texto não informa a data.", "Não consigo responder.",
           "Isso não é mencionado no texto.", "Não faço ideia.",
           "Infelizmente não encontrei informações sobre o porto.", "O documento não diz quando o porto abriu.",
           "Não tenho informações suficientes para responder.", "Lamento, não sei."],
    "nl": ["Dat weet ik niet.", "Sorry, ik kan deze vraag niet beantwoorden.", "Ik heb daar geen informatie over.",
           "De documenten bevatten geen informatie over de hoogte van de brug.",
           "Ik weet niet wie de molen heeft gebouwd.", "Ik heb geen idee.", "De tekst vermeldt de datum niet.",
           "Dat kan ik niet zeggen.", "Dat staat niet in de tekst.", "Helaas weet ik het niet.",
           "De bron zegt niet wanneer de haven openging.", "Sorry, daar heb ik geen gegevens over.",
           "Ik kan het antwoord niet vinden.", "Helaas staat dat niet in de documenten."],
    "pl": ["Nie wiem.", "Przepraszam, nie mogę odpowiedzieć na to pytanie.", "Nie mam informacji na ten temat.",
           "Dokumenty nie zawierają informacji o wysokości mostu.", "Niestety nie wiem, kto zbudował młyn.",
           "Nie znam odpowiedzi.", "Tekst nie podaje daty.", "Nie potrafię powiedzieć.", "Nie mam pojęcia.",
           "W tekście nie ma takiej informacji.", "Źródła nie mówią, kiedy otwarto port.",
           "Niestety nie mogę tego określić.",
           "Przykro mi, nie wiem.", "Nie znalazłem informacji o porcie."],
    "ru": ["Я не знаю.", "К сожалению, я не могу ответить на этот вопрос.", "У меня нет информации об этом.",
           "В документах нет информации о высоте моста.", "Не знаю, кто построил мельницу.", "Понятия не имею.",
           "В тексте не указана дата.", "Не могу сказать.", "Ответ мне неизвестен.",
           "К сожалению, у меня нет данных.", "Извините, я не располагаю такой информацией.",
           "Источники не сообщают, когда открылся порт.",
           "Простите, я не знаю ответа на этот вопрос.", "Я не нашёл информации о порте."],
    "tr": ["Bilmiyorum.", "Üzgünüm, bu soruya cevap veremiyorum.", "Bu konuda bilgim yok.",
           "Köprünün yüksekliği hakkında bilgi bulamadım.", "Verilen belgelerde bu bilgi yer almıyor.",
           "Bu konuda bilgi sahibi değilim.", "Metinde belirtilmemiş.", "Cevabı bilmiyorum.", "Hiçbir fikrim yok.",
           "Maalesef bilmiyorum.", "Kaynaklarda limanın ne zaman açıldığı belirtilmiyor.",
           "Üzgünüm, yanıtlayamıyorum.",
           "Maalesef bu konuda bilgim yok.", "Bu soruya cevap veremem."],
    "zh": ["我不知道。", "抱歉，我无法回答这个问题。", "文档中没有提到相关信息。", "对不起，没有找到相关资料。", "我不清楚。", "不知道。", "文中没有说明。", "我无法确定答案。",
           "资料中没有相关信息。", "很抱歉，我不清楚这个问题的答案。", "根据提供的资料，我无法回答。", "抱歉，上下文中没有这方面的信息。",
           "对不起，我不知道答案。", "我找不到关于港口的信息。"],
    "ja": ["わかりません。", "申し訳ありませんが、その質問にはお答えできません。", "提供された文書には記載されていません。", "橋の高さに関する情報は見つかりませんでした。", "不明です。",
           "存じません。", "この質問には答えられません。", "資料には書かれていません。", "情報がありません。", "その点については分かりかねます。", "すみません、その情報は持っていません。",
           "文脈からは判断できません。",
           "申し訳ございませんが、分かりません。", "港についての記載はありません。"],
    "ko": ["모르겠습니다.", "죄송합니다만 그 질문에 답변할 수 없습니다.", "다리 높이에 대한 정보를 찾을 수 없습니다.", "제공된 문서에는 그 내용이 나와 있지 않습니다.",
           "잘 모르겠습니다.", "문서에서 찾을 수 없습니다.", "관련된 정보가 없습니다.", "알 수 없습니다.", "대답할 수 없습니다.", "죄송하지만 잘 모르겠어요.",
           "주어진 문서에는 항구에 대한 정보가 없습니다.",
           "죄송합니다. 모르겠습니다.", "항구에 대한 정보를 찾지 못했습니다."],
    "ar": ["لا أعرف.", "عذراً، لا أستطيع الإجابة على هذا السؤال.", "ليس لدي معلومات عن ذلك.",
           "المصادر المتاحة لا تذكر ارتفاع الجسر.", "لا أعرف من بنى الطاحونة.", "لا أدري.", "النص لا يذكر التاريخ.",
           "لا توجد معلومات كافية.", "لا يمكنني الإجابة.", "ليست لدي فكرة.", "عذراً، لا أملك معلومات كافية.",
           "السياق لا يذكر متى افتتح الميناء.",
           "آسف، لا أعرف الإجابة.", "لم أجد معلومات عن الميناء."],
    "hi": ["मुझे नहीं पता।", "क्षमा करें, मैं इस प्रश्न का उत्तर नहीं दे सकता।",
           "मेरे पास इस बारे में जानकारी नहीं है।", "दिए गए दस्तावेज़ों में इसका उल्लेख नहीं है।",
           "मुझे इसकी जानकारी नहीं है।", "पाठ में तारीख का उल्लेख नहीं है।", "मैं नहीं जानता।",
           "कोई जानकारी उपलब्ध नहीं है।", "मुझे कोई अंदाज़ा नहीं है।", "माफ़ कीजिए, मुझे इसका उत्तर नहीं पता।",
           "स्रोतों में यह जानकारी नहीं है।",
           "मुझे खेद है, मुझे नहीं पता।", "दस्तावेज़ों में इसकी जानकारी नहीं है।"],
    "id": ["Saya tidak tahu.", "Maaf, saya tidak dapat menjawab pertanyaan itu.",
           "Saya tidak memiliki informasi tentang hal itu.", "Dokumen tersebut tidak menyebutkan tinggi jembatan.",
           "Maaf, saya tidak tahu jawabannya.", "Teks tidak menyebutkan tanggalnya.", "Saya tidak bisa menjawab.",
           "Tidak ada informasi.", "Informasi itu tidak tersedia.",
           "Maaf, saya tidak punya informasi tentang pelabuhan itu.",
           "Sumber tersebut tidak menjelaskan kapan pelabuhan dibuka.",
           "Maaf, saya tidak menemukan informasi itu.", "Saya tidak dapat menemukan jawabannya."],
    "vi": ["Tôi không biết.", "Xin lỗi, tôi không thể trả lời câu hỏi này.", "Tôi không có thông tin về điều đó.",
           "Tài liệu không đề cập chiều cao của cây cầu.", "Tôi không rõ.", "Văn bản không nêu ngày.",
           "Không có thông tin.", "Tôi không thể xác định.", "Rất tiếc, tôi không có câu trả lời.",
           "Xin lỗi, tôi không có dữ liệu về bến cảng.", "Nguồn không nói khi nào bến cảng mở cửa.",
           "Xin lỗi, tôi không biết câu trả lời.", "Tôi không tìm thấy thông tin về bến cảng."],
}  # fmt: skip
STATEMENTS = {
    "de": ["Der Hafen ist nicht bekannt für seine Strände.", "Ich weiß nicht, aber die Brücke ist sehr hoch.",
           "Die Mühle hat keine Angaben nötig.", "Niemand weiß, wer die Mühle gebaut hat.",
           "Der Kapitän weiß es nicht.", "Die Fähre kann die Insel nicht erreichen.",
           "Ich weiß nicht, dass es anders ist; die Brücke ist rot.", "Das Museum enthält keine Gemälde.",
           "Die Brücke ist 40 Meter hoch.", "Der Vertrag enthält keine Kündigungsfrist.",
           "Leider ist die Brücke gesperrt.", "Das weiß der Kapitän nicht.",
           "Die Quelle ist versiegt und enthält kein Wasser.", "Ich kann die Brücke nicht sehen.",
           "Der Text ist nicht lang.", "Das Dokument enthält keine Unterschrift.", "Ich kann schwimmen, der Kapitän nicht."],
    "fr": ["Le port n'est pas connu pour ses plages.", "Je ne sais pas, mais le pont est rouge.",
           "Le moulin ne contient pas de farine.", "Le capitaine ne sait pas nager.",
           "Le contrat ne mentionne pas de délai.", "Malheureusement, le pont est fermé.",
           "Le pont n'a pas de rampe.", "Je n'ai pas de chien.", "Les sources ne coulent pas en été.",
           "Le texte n'est pas long.", "Le document ne contient pas de signature."],
    "es": ["El puerto no es conocido por sus playas.", "No lo sé, pero el puente es rojo.",
           "El molino no tiene información turística.", "El capitán no sabe nadar.", "No hay trenes los domingos.",
           "Lamentablemente, el puente está cerrado.", "No tengo perro.", "El pozo no tiene agua.",
           "No puedo nadar.", "Las fuentes no tienen agua en verano.",
           "El texto no es largo.", "El documento no tiene firma."],
    "it": ["Il porto non è noto per le sue spiagge.", "Non lo so, ma il ponte è rosso.",
           "Il capitano non sa nuotare.", "Non ci sono treni la domenica.", "Purtroppo il ponte è chiuso.",
           "Il pozzo non ha acqua.", "Non ho un cane.", "Le fonti non hanno acqua.",
           "Il testo non è lungo.", "Il documento non ha firma."],
    "pt": ["O porto não é conhecido pelas praias.", "Não sei, mas a ponte é vermelha.", "O capitão não sabe nadar.",
           "Não há comboios ao domingo.", "Infelizmente a ponte está fechada.", "O poço não tem água.",
           "Não tenho cão.", "As fontes não têm água.",
           "O texto não é longo.", "O documento não tem assinatura."],
    "nl": ["De haven is niet bekend om zijn stranden.", "Ik weet het niet, maar de brug is rood.",
           "De kapitein weet het niet.", "Er is geen trein op zondag.", "Helaas is de brug gesloten.",
           "De bron bevat geen water.", "Ik heb geen hond.", "De put is leeg.",
           "De tekst is niet lang.", "Het document bevat geen handtekening."],
    "pl": ["Port nie jest znany z plaż.", "Nie wiem, ale most jest czerwony.", "Kapitan nie wie, gdzie jest port.",
           "Most nie ma poręczy.", "Niestety most jest zamknięty.", "Studnia nie ma wody.", "Nie mam psa.",
           "Źródło wyschło.",
           "Tekst nie jest długi.", "Dokument nie ma podpisu."],
    "ru": ["Порт не известен своими пляжами.", "Я не знаю, но мост красный.", "Капитан не знает дороги.",
           "На мосту нет перил.", "К сожалению, мост закрыт.", "В колодце нет воды.", "У меня нет собаки.",
           "Источник высох.",
           "Текст не длинный.", "В документе нет подписи."],
    "tr": ["Liman plajlarıyla bilinmiyor değil.", "Bilmiyorum, ama köprü kırmızı.", "Kaptan yüzme bilmiyor.",
           "Pazar günü tren yok.", "Maalesef köprü kapalı.", "Kuyuda su yok.", "Köpeğim yok.",
           "Metin uzun değil.", "Belgede imza yok."],
    "zh": ["这个港口不以海滩闻名。", "我不知道，但是桥是红色的。", "船长不知道路。", "星期天没有火车。", "抱歉，桥关闭了。", "井里没有水。", "我没有狗。", "文件没有签名。",
           "文本不长。", "文档没有签名。"],
    "ja": ["この港は海岸で有名ではありません。", "わかりませんが、橋は赤いです。", "日曜日に電車はありません。", "残念ながら、橋は閉まっています。", "井戸に水はありません。",
           "私は犬を飼っていません。", "港は不明な理由で閉鎖されました。",
           "文書は長くありません。", "文書に署名はありません。"],
    "ko": ["이 항구는 해변으로 유명하지 않습니다.", "모르겠습니다, 하지만 다리는 빨간색입니다.", "일요일에는 기차가 없습니다.", "안타깝게도 다리는 닫혀 있습니다.",
           "우물에 물이 없습니다.", "저는 개가 없습니다.",
           "문서는 길지 않습니다.", "문서에는 서명이 없습니다."],
    "ar": ["الميناء غير معروف بشواطئه.", "لا أعرف، لكن الجسر أحمر.", "القبطان لا يعرف الطريق.",
           "لا توجد قطارات يوم الأحد.", "للأسف الجسر مغلق.", "لا يوجد ماء في البئر.", "ليس لدي كلب.",
           "النص ليس طويلاً.", "لا يوجد توقيع على الوثيقة."],
    "hi": ["बंदरगाह समुद्र तटों के लिए नहीं जाना जाता।", "मुझे नहीं पता, लेकिन पुल लाल है।",
           "रविवार को कोई ट्रेन नहीं है।", "कुएँ में पानी नहीं है।", "मेरे पास कुत्ता नहीं है।",
           "पाठ लंबा नहीं है।", "दस्तावेज़ में हस्ताक्षर नहीं है।"],
    "id": ["Pelabuhan itu tidak terkenal karena pantainya.", "Saya tidak tahu, tetapi jembatan itu merah.",
           "Tidak ada kereta pada hari Minggu.", "Kapten tidak tahu jalan.", "Sumur itu tidak berisi air.",
           "Saya tidak punya anjing.",
           "Teks itu tidak panjang.", "Dokumen itu tidak memiliki tanda tangan."],
    "vi": ["Bến cảng không nổi tiếng vì bãi biển.", "Tôi không biết, nhưng cây cầu màu đỏ.",
           "Không có tàu vào Chủ nhật.", "Thuyền trưởng không biết bơi.", "Giếng không có nước.",
           "Tôi không có chó.", "Nguồn nước không có muối.",
           "Văn bản không dài.", "Tài liệu không có chữ ký."],
}  # fmt: skip


def test_every_language_has_sentences_of_both_kinds():
    assert set(REFUSALS) == set(STATEMENTS) == set(LANGUAGES)


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in REFUSALS.items() for text in texts])
def test_refusals(code, text):
    assert refuses(text)
    assert abstains(text)
    assert check(text, ["The bridge is 40 metres high."], question="How long is the pier?").state == "abstained"


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
