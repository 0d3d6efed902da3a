"""A language model as judge: what it is asked, the shapes it answers in, and what is kept of its replies."""
