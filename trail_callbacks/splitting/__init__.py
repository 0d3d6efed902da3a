"""How an answer comes apart: its lines, its sentences, its clauses, and whom its pronouns mean."""
