"""Questions made by rules from the sentences that an edit changes, and by a model.

`facts` finds those sentences. `cloze` asks for what is missing in them, or for yes or no.
`checking` finds out whether a probe can tell anything; `making` puts these together. `model_probes` has a model write
questions as users ask them, all checked.
"""
