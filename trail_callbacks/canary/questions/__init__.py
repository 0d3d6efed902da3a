"""Questions made by rules from the sentences that an edit changes.

`facts` finds those sentences, `marking` what is replaced in them. In English, `sought` and `named` say what asks for a
value, `clauses` takes sentences apart, `english` and `polar` put questions together. `cloze` asks for what is missing,
in any language; `forms` writes answers otherwise; `rivals` finds out whether the corpus answers a question twice.
"""
