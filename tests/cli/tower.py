"""A source, a claim that it supports and one that it contradicts."""

SOURCE = "The tower was finished in 1874. It is 31 metres high."
TRUE = "The tower was finished in 1874."
FALSE = "The tower was finished in 1847."
