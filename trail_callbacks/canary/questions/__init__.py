"""Questions made by rules from the sentences that an edit changes.

`facts` finds those sentences, `marking` what is replaced in them. In English, `sought`, `amounts` and `named` say what
asks for a value (`asked_for`), `clauses` and `predicates` take sentences apart with the help of `verbs`, `shortening`
leaves out what a question may not name; `english` puts the question word in front, `placed` keeps it in its place,
`polar` asks for yes or no. `cloze` asks for what is missing, in the language of the sentence; `forms` writes answers
otherwise; `rivals` finds out whether the corpus answers a question twice.
"""
