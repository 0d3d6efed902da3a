"""How an answer comes apart without a model: lines, sentences, clauses, and what a pronoun at the head of one means."""
