"""Reports and graphs for people: terminal and notebook."""
