"""What makes edits of a corpus, a module for each sort of facts, and the twin that they make together."""
