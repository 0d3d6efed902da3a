"""Reads a page as a browser would, strictly: elements nest, attributes are given once."""

import json
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link", "img", "rect"}  # a rect is written `<rect .../>`


class Page(HTMLParser):
    """Checks that elements nest, and keeps what a test asks for."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts, self.scripts = [], [], {}, []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        element = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        assert tag in {*VOID, "path"}, tag  # a path may hold a title
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag=None, **attributes):
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            each
            for each in self.elements
            if tag in (None, each["tag"])
            and all(name in each and value in (..., each[name]) for name, value in wanted.items())
        ]

    @property
    def data(self):
        (element,) = self.all("script", type="application/json")
        return json.loads(element["text"])
