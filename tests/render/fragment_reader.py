"""Reads HTML as a strict browser."""

from html.parser import HTMLParser

VOID = {"path", "rect"}


class Reader(HTMLParser):
    """Reads HTML as a strict browser: every element is closed where it belongs."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.spans = set(), set(), "", []
        self._open = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._open.append(tag)
        if tag == "span":
            self.spans.append(dict(attrs))

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data
