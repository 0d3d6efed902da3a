"""Which version of the texts an app gets, and what keeps fictive ones out of its index."""
