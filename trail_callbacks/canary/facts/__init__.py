"""What a corpus states: its figures, dates, names and sentences, with every place that states them."""
