# Mends of the standard library. The versions that there are for WASI lack later security updates: small inputs keep
# some of their functions busy for hours.


class Quoting:
    """Finds how a text quotes its fields, in time that grows with the text: csv.Sniffer tries all ways to pair
    quotes."""

    OPENING = re.compile(r'([^\w\n"\'])( ?)(["\'])')  # a delimiter and a quote
    LINE = re.compile(r'^(["\'])', re.MULTILINE)
    CLOSING = {quote: re.compile(quote + r'([^\w\n"\'])( ?)') for quote in '"\''}
    LAST = {quote: re.compile(quote + r'$', re.MULTILINE) for quote in '"\''}

    def __init__(self, data):
        self.data = data
        self.ends = {}  # of what no longer occurs from there on
        self.pairs = None  # where a quote and the character behind it are for the last time

    def fields(self):
        """Returns (quote, delimiter, space) of fields of the first kind that the text has: between delimiters, at the
        beginning of a line, at its end, or alone on it."""
        return (self.found(self.OPENING, self.between) or self.found(self.LINE, self.first) or
                self.found(self.OPENING, self.last) or self.found(self.LINE, self.only))

    def found(self, opening, closing):
        all, at = [], 0
        while start := opening.search(self.data, at):
            end = closing(start)
            if end is None:
                at = start.start() + 1
            else:
                field, at = end
                all.append(field)
        return all

    def search(self, pattern, at):
        if at >= self.ends.get(pattern, len(self.data) + 1):
            return None
        found = pattern.search(self.data, at)
        if found is None:
            self.ends[pattern] = at
        return found

    def between(self, start):
        delimiter, space, quote = start.groups()
        if self.pairs is None:
            self.pairs = {}
            for found in re.finditer('["\']', self.data):
                self.pairs[self.data[found.start():found.start() + 2]] = found.start()
        if self.pairs.get(quote + delimiter, -1) < start.end():
            return None
        return (quote, delimiter, space), self.data.index(quote + delimiter, start.end()) + 2

    def first(self, start):
        end = self.search(self.CLOSING[start[1]], start.end())
        return end and ((start[1], end[1], end[2]), end.end())

    def last(self, start):
        end = self.search(self.LAST[start[3]], start.end())
        return end and ((start[3], start[1], start[2]), end.end())

    def only(self, start):
        end = self.search(self.LAST[start[1]], start.end())
        return end and ((start[1], '', ''), end.end())


def doubled(data, quote, delimiter):
    """Reports whether a field has quotes inside of quotes."""
    for line in data.split('\n'):
        for field in line.split(delimiter) if delimiter else [line]:
            if field.count(quote) < 3:
                continue
            before, after = field[:field.index(quote)], field[field.rindex(quote):]
            if not delimiter or not re.search(r'\w', before) and not re.search(r'\w', after):
                return True
    return False


def guess_quote_and_delimiter(self, data, delimiters):
    found = Quoting(data).fields()
    if not found:
        return ('', False, None, 0)
    most = lambda counted: max(counted, key=counted.get)
    quotes = collections.Counter(quote for quote, _, _ in found)
    quote = most(quotes)
    allowed = [(delimiter, space) for _, delimiter, space in found
               if delimiter and (delimiters is None or delimiter in delimiters)]
    if not allowed:
        return (quote, doubled(data, quote, ''), '', 0)
    counted = collections.Counter(delimiter for delimiter, _ in allowed)
    delimiter = most(counted)
    spaces = sum(1 for _, space in allowed if space)
    return (quote, doubled(data, quote, delimiter), delimiter, counted[delimiter] == spaces)


csv.Sniffer._guess_quote_and_delimiter = guess_quote_and_delimiter


class Markup(html.parser.HTMLParser):
    """What is not closed ends with the text, and is looked at once: html.parser looks for each end in all that is left.
    Marked sections of unknown names are comments, as in browsers.

    https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state"""

    closing = False

    def close(self):
        self.closing = True
        try:
            self.goahead(1)
        finally:
            self.closing = False

    def unclosed(self, i, handle, skip=2):
        """Handles what begins at i and is not closed: more may follow, or that is all."""
        if not self.closing:
            return -1
        handle(self.rawdata[i + skip:])
        return len(self.rawdata)

    def text_at_end(self, text):
        self.handle_data(html.unescape(text) if self.convert_charrefs and not self.cdata_elem else text)

    def open(self, i):
        """Reports whether nothing ends what begins at i."""
        return self.rawdata.find('>', i) < 0

    def parse_comment(self, i, report=1, *, plain=html.parser.HTMLParser.parse_comment):
        return self.unclosed(i, self.handle_comment, 4) if self.rawdata.find('-->', i) < 0 else plain(self, i, report)

    def parse_html_declaration(self, i, *, plain=html.parser.HTMLParser.parse_html_declaration):
        if self.rawdata.startswith('<![', i):
            if not SECTION.match(self.rawdata, i):
                return self.unclosed(i, self.handle_comment) if self.open(i) else self.parse_bogus_comment(i)
            if (end := plain(self, i)) >= 0:
                return end
            return self.unclosed(i, self.unknown_decl, 3)
        if not self.open(i):
            return plain(self, i)
        return self.unclosed(i, self.handle_decl if DOCTYPE.match(self.rawdata, i) else self.handle_comment)

    def parse_pi(self, i, *, plain=html.parser.HTMLParser.parse_pi):
        return self.unclosed(i, self.handle_pi) if self.open(i) else plain(self, i)

    def parse_starttag(self, i, *, plain=html.parser.HTMLParser.parse_starttag):
        return self.unclosed(i, self.text_at_end, 0) if self.open(i) else plain(self, i)

    def parse_endtag(self, i, *, plain=html.parser.HTMLParser.parse_endtag):
        if not self.open(i):
            return plain(self, i)
        return self.unclosed(i, self.text_at_end, 0)


SECTION = re.compile(r'<!\[\s*(?:cdata|temp|ignore|include|rcdata|if|else|endif)\b', re.IGNORECASE)
DOCTYPE = re.compile('<!doctype', re.IGNORECASE)

for name in ('closing', 'close', 'unclosed', 'text_at_end', 'open', 'parse_comment', 'parse_html_declaration',
             'parse_pi', 'parse_starttag',
             'parse_endtag'):
    setattr(html.parser.HTMLParser, name, vars(Markup)[name])
