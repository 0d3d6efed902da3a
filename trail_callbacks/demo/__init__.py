"""Three small real apps over three documents, for `trail demo`: the model is played unless one is named."""
