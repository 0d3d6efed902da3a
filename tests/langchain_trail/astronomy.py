"""What the small apps of the lineage tests read and say."""

from __future__ import annotations

from langchain_core.prompts import ChatPromptTemplate

KEPLER = "Johannes Kepler published his third law of planetary motion in the year 1619."
TITAN = "Saturn's largest moon Titan was discovered by Christiaan Huygens in 1655."
ANSWER = "Kepler's third law appeared in 1619."

template = ChatPromptTemplate.from_template


def joined(documents):
    return "\n".join(document.page_content for document in documents)
