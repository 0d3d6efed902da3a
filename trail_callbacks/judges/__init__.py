"""Ways to decide whether evidence supports a claim: one module a way."""
