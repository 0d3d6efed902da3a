"""Texts that try to be more than text, each in every field of a report that holds any."""

from __future__ import annotations

from browsing import HOST
from judged import NO, node, verdict

from trail_callbacks import Claim, Edge, ErrorType, Evidence, ProvenanceGraph, Report
from trail_callbacks.report import Layer

_TEXTS = (
    # elements
    ("script", "<script>canary(§)</script>"),
    ("script from elsewhere", "<script src=//HOST/x.js></script>"),
    ("script in odd case", "<ScRiPt\n>canary(§)</sCrIpT\t>"),
    ("module", "<script type=module>import('http://HOST/m.js');canary(§)</script>"),
    ("image", "<img src=x: onerror=canary(§)>"),
    ("image from elsewhere", "<img src=http://HOST/pixel.png srcset='http://HOST/2x 2x'>"),
    ("picture and media", "<video poster=http://HOST/p src=http://HOST/v onloadstart=canary(§)></video><audio src=//HOST/a>"),
    ("frames", "<iframe srcdoc='<script>parent.canary(§)</script>'></iframe><iframe src=javascript:parent.canary(§)></iframe>"),
    ("object", "<object data='data:text/html,<script>canary(§)</script>'></object><embed src=http://HOST/e>"),
    ("style element", "<style>@import 'http://HOST/i.css';body{display:none!important;background:url(http://HOST/b)}</style>"),
    ("link", "<link rel=stylesheet href=http://HOST/s.css><link rel=prefetch href=http://HOST/p>"),
    ("refresh", "<meta http-equiv=refresh content='0;url=http://HOST/away'>"),
    ("weaker policy", "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline' *\"><script>canary(§)</script>"),
    ("base", "<base href=http://HOST/ target=_blank>"),
    ("form", "<form action=http://HOST/form><input name=class value=absent autofocus onfocus=canary(§)><button>x</button></form>"),
    ("autofocus", "<input autofocus onfocus=canary(§)><details open ontoggle=canary(§)>x</details>"),
    ("custom element", "<x-a is=script onpointerover=canary(§) style=position:fixed;inset:0>over all</x-a>"),
    ("template", "<template shadowrootmode=open><script>canary(§)</script></template><slot onslotchange=canary(§)>"),
    ("noscript", "<noscript><p title='</noscript><img src=x: onerror=canary(§)>'></noscript>"),
    ("comment", "<!--><img src=x: onerror=canary(§)>--><!-- x --!><img src=x: onerror=canary(§)>"),
    ("raw text", "</title></textarea></style></noscript></template></xmp><img src=x: onerror=canary(§)><plaintext>"),
    ("end of page", "</mark></p></div></main></body></html><script>canary(§)</script>"),
    # SVG and MathML
    ("svg", "<svg onload=canary(§)><script>canary(§)</script><a xlink:href='javascript:canary(§)'><text>x</text></a></svg>"),
    ("svg style", "<svg><style><img src=x: onerror=canary(§)></style><image href=http://HOST/i /><use href=http://HOST/u#a /></svg>"),
    ("svg animation", "<svg><a><animate attributeName=href values=javascript:canary(§) /><text y=9>x</text></a><set onbegin=canary(§) /></svg>"),
    ("mathml", "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x: onerror=canary(§)&gt;'>"),
    # attributes
    ("double quote", '" onmouseover="canary(§)" autofocus tabindex=1 onfocus="canary(§)" x="'),
    ("single quote", "' onmouseover='canary(§)' autofocus tabindex=1 onfocus='canary(§)' x='"),
    ("no quote", "x onmouseover=canary(§) onfocus=canary(§) autofocus tabindex=1"),
    ("backtick", "` onmouseover=canary(§) x=`"),
    ("style attribute", '" style="position:fixed;inset:0;background:url(http://HOST/s);behavior:url(#x)'),
    ("entities", "&lt;script&gt;canary(§)&lt;/script&gt; &#60;img src=x: onerror=canary(§)&#62; &quot; onfocus=&quot;canary(§)"),
    # addresses
    ("javascript:", "javascript:canary(§)"),
    ("javascript: hidden", "\x01java\tscript\n:canary(§)//"),
    ("data:", "data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4="),
    ("vbscript:", "vbscript:canary(§)"),
    ("address", "http://HOST/document.html?q=1#x"),
    ("markdown link", "[click](javascript:canary(§)) ![x](http://HOST/i.png) <http://HOST/>"),
    # CSS
    ("css expression", "x;width:expression(canary(§));background:url(http://HOST/u);}"),
    ("css end", "*/</style><script>canary(§)</script><style>/*"),
    ("css rule", "} * { display:none !important; background: url('http://HOST/r') } x{"),
    ("css import", "@import url(http://HOST/i.css);"),
    # data inside a script
    ("end of script", "</script><script>canary(§)</script>"),
    ("end of script in odd case", "</ScRipt ><img src=x: onerror=canary(§)>"),
    ("script in a comment", "<!--<script>"),
    ("script in a comment, ended", "<!--<script>canary(§)</script>--><script>canary(§)</script>"),
    ("end of cdata", "]]><script>canary(§)</script>"),
    ("line separators", "x\u2028canary(§)\u2029//"),
    ("backslashes", '\\";canary(§)//\\u003cscript\\u003ecanary(§)\\u003c/script\\u003e\\'),
    ("end of string", "\";canary(§);\"';canary(§);'`;canary(§);`"),
    ("template literal", "${canary(§)}`${canary(§)}`"),
    ("template languages", "{{constructor.constructor('canary(§)')()}} {% x %} <%= canary(§) %> #{canary(§)} $(canary) $string $1 \\1 {0}"),
    # names that mean something to a script or a selector
    ("__proto__", "__proto__"),
    ("constructor", "constructor"),
    ("prototype", "prototype"),
    ("hasOwnProperty", "hasOwnProperty"),
    ("toString", "toString"),
    ("id of the page: detail", "detail"),
    ("id of the page: graph", "graph"),
    ("selector", '"],[data-claim],#x>y~z+*:not(a)\\'),
    ("selector: hash", "#detail .a[b='c'] d"),
    ("blanks", "  a  b\tc\nd  "),
    ("one blank", " "),
    ("fragment", "#claim=%3Cimg%20src%3Dx:%20onerror%3Dcanary(§)%3E&claim=c1"),
    ("percent", "%00%0a%u2028%ZZ%"),
    ("ampersand", "a&b=c&amp;d;e"),
    ("null", "null"),
    ("number", "-1e999"),
    ("undefined", "undefined"),
    # characters
    ("bidi override", "safe \u202egnol yrev\u202c \u2066isolated \u2067\u202b never ended"),
    ("controls", "\x00\x01\x08\x0b\x0c\x1b[31m\x7f\x80\x85\x9b"),
    ("half a pair", "\ud83d half \udc00"),
    ("noncharacters", "\ufffe\uffff\U0001fffe\U0010ffff\ufeff"),
    ("tags", "\U000e0001\U000e0041\u00ad\u034f\u180e\u2060"),
    ("stacked marks", "Z" + "\u0300\u0301\u0302\u0303" * 60),
    ("no blank", "W" * 5000),
    ("blanks only", "\u3000\u00a0\u200b"),
)  # fmt: skip

TEXTS = {name: text.replace("HOST", HOST).replace("§", str(number)) for number, (name, text) in enumerate(_TEXTS)}
"""By name. What runs calls `canary` with the number of the text."""

_PAGES = 8
BATCHES = [list(TEXTS)[first::_PAGES] for first in range(_PAGES)]
"""Names of the texts that share a page, of every kind a few. A page that breaks says which text ran."""


def report(*texts: str) -> Report:
    """A report in which every field that may hold text holds each of these: in turn, or all where there is one field."""
    nodes, edges, found, answer = [], [], [], ""
    for n, text in enumerate(texts):
        before = f"Before. {text} "
        attributes = {"source": text, "title": text, "url": text, "score": 0.5, text: text, "nested": {text: [text]}}
        tool, out = f"tool {text}", f"out {text}"
        nodes += [
            node(text, "document", f"{before}after.", text, run_id=text, attributes=attributes),
            node(tool, "tool_result", text, text, attributes={"args": {text: text}}),
            node(out, "completion", text, text, attributes={"model": text}),
        ]
        edges += [
            Edge(source=text, target=tool, basis="matched", coverage=0.5, ambiguous=2),
            Edge(source=tool, target=out, basis="scope"),
            Edge(source=out, target="the answer"),
        ]
        at, end = len(answer), len(before) - 1
        answer += f"{text}\n"
        # A graph keeps no half of a surrogate pair, so its own text is what is quoted.
        kept = f"{before}after.".encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        against = Evidence(node_id=text, start=8, end=end, quote=kept[8:end], relation="contradicts")
        said = verdict(
            text, NO, error_type=list(ErrorType)[n % len(ErrorType)], second_type=ErrorType.OTHER, detail=text,
            rationale=text, evidence=(against,), confidence=0.5, introduced_at=out, carried_through=("the answer",),
            history=(Layer(nodes=(out,), stated_by=(out,), note=text, statement=text),), judge=text,
        )  # fmt: skip
        found.append((Claim(id=text, text=text, quote=text, start=at, end=at + len(text)), said))
    together = " ".join(texts)
    failed = Claim(id="failed", text=together, quote=answer[:4], start=0, end=4)
    found.append((failed, verdict("failed", None, error=together, rationale=together, judge=together)))
    nodes += [
        node("the question", "question", together, together),
        node("the rules", "instruction", together, together),
        node("the answer", "answer", answer, together),
    ]
    edges += [Edge(source=each, target="the answer") for each in ("the question", "the rules")]
    claims, verdicts = zip(*found, strict=True)
    return Report(
        state="assessed", graph=ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)), claims=claims,
        verdicts=verdicts, warnings=texts, judge=together, run_id=together,
    )  # fmt: skip
