"""Verification: claims, audit against the leaves, localisation, report."""
