"""Corpora, twins and probes as files."""
