"""Names of months and parts of the calendar that texts in several languages use."""

from __future__ import annotations

__all__ = ["CENTURY", "ENGLISH_MONTHS", "MONTHS"]

from trail_callbacks.language.quantities.units import MONTHS as ENGLISH_MONTHS

_NAMES = """
jan january januar janvier enero gennaio janeiro januari января январь
feb february februar février febrero febbraio fevereiro februari февраля февраль
mar march märz mars marzo março maart марта март
apr april avril abril aprile апреля апрель
may mai mayo maggio maio mei мая май
jun june juni juin junio giugno junho июня июнь
jul july juli juillet julio luglio julho июля июль
aug august août agosto augustus августа август
sep sept september septembre septiembre setiembre settembre setembro сентября сентябрь
oct october oktober okt octobre octubre ottobre outubro октября октябрь
nov november novembre noviembre novembro ноября ноябрь
dec december dezember dez décembre diciembre dicembre dezembro декабря декабрь
"""
MONTHS = {name: float(i) for i, line in enumerate(_NAMES.strip().splitlines(), 1) for name in line.split()}
"""Number of a month by its case-folded name; common words among them (`may`, `mars`) count beside a number only."""

CENTURY = ("century", "centuries", "jahrhundert", "jahrhunderts", "siècle", "siglo", "secolo", "século", "eeuw")
"""The word for a hundred years, in seven languages."""
