"""Number words of many languages in digits."""

import pytest

from trail_callbacks.canary.outcomes.number_words import in_digits


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("vierundzwanzig Stunden", "24 Stunden"),
        ("einundvierzig Minuten", "41 Minuten"),
        ("quatre-vingt-onze jours", "91 jours"),
        ("soixante-quinze euros", "75 euros"),
        ("treinta y dos días", "32 días"),
        ("veintiuno años", "21 años"),
        ("quarantotto ore", "48 ore"),
        ("trinta e cinco dias", "35 dias"),
        ("achtenveertig uur", "48 hours"),
        ("сорок пять минут", "45 minutes"),
        ("三十五分钟", "35 minutes"),
        ("两千三百米", "2300 metres"),
        ("二〇二一年", "二〇二一年"),
        ("acht Tage", "8 Tage"),
        ("once minutos", "11 minuto"),
        ("once in a while", "once in a while"),
        ("six minutes", "six minutes"),
        ("due to the wind", "due to the wind"),
        ("25 minuter", "25 minutes"),
        ("zwölf Komma fünf Grad", "12.5 Grad"),
        ("deux virgule sept", "2.7"),
        ("twelve point five", "12.5"),
        ("to the point", "to the point"),
        ("eighteen oh four", "1804"),
        ("eighteen hundred and four", "1804"),
        ("eighteen of them", "eighteen of them"),
        ("dreihundertfünfzig", "350"),
        ("tausendzweihundert", "1200"),
        ("mil doscientos", "1200"),
        ("trescientos cuarenta y uno", "341"),
        ("deux cent quarante", "240"),
        ("mille neuf cent soixante-dix-huit", "1978"),
        ("duemilaquattrocento", "2400"),
        ("trecentodieci", "310"),
        ("duzentos e dez", "210"),
        ("tweehonderdvijftig", "250"),
        ("femtiotvå", "52"),
        ("триста двадцать пять", "325"),
        ("pięćset sześćdziesiąt", "560"),
        ("dos tres", "dos tres"),
        ("per cent", "per cent"),
        ("fourteen percent", "fourteen percent"),
        ("百分之三十", "30%"),
        ("около сорока", "около 40"),
        ("при них три сына", "при них 3 сына"),
    ],
)
def test_number_words_of_other_languages(said, digits):
    assert in_digits(said).strip().startswith(digits)
