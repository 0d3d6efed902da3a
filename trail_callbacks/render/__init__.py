"""How reports and graphs look to a person: in a terminal and in a notebook."""
