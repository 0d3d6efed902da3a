"""Questions made by rules from the sentences that an edit changes, and by a model.

`facts` finds those sentences, `answers` the values. `cloze` asks for what is missing in them, or for a cell of a table,
in their language; `polar` for yes or no; `english` as a user would. `rivals` finds out whether the corpus answers a
question twice, `checking` whether a probe can tell anything. `model_probes` has a model write questions, all checked.
"""
