"""A judge without a model: typed checks, and a risk read off what claim and sources share."""
