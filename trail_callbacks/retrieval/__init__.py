"""Retrieval: how a source falls into passages (sentences, table rows, JSON fields), and which concern a claim."""
