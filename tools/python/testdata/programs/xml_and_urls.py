import configparser
import html.parser
import io
import shlex
import tomllib
import urllib.parse
import xml.etree.ElementTree as ET

tree = ET.fromstring('<shop><item id="1"><name>Pen &amp; ink</name><price>2.5</price></item><item id="2"><name>Pad</name></item></shop>')
print([(i.get('id'), i.findtext('name'), i.findtext('price', '-')) for i in tree.iter('item')],
      tree.find(".//item[@id='2']/name").text)
ET.SubElement(tree, 'note', lang='no').text = 'blåbær <x>'
ET.indent(tree)
print(ET.tostring(tree, encoding='unicode'))
try:
    ET.fromstring('<a><b></a>')
except ET.ParseError as error:
    print(error)


class Links(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag == 'a':
            print(dict(attrs).get('href'))


Links().feed('<p><a href="/x?a=1&amp;b=2">x</a><A HREF=y>')
url = urllib.parse.urlsplit('https://user@example.org:8080/a%20b/c;d?q=1&q=2&r=é#f')
print(url.hostname, url.port, urllib.parse.parse_qs(url.query), urllib.parse.unquote(url.path),
      urllib.parse.urljoin('http://x/a/b', '../c?d'), urllib.parse.urlencode({'a b': 'ü&'}))
c = configparser.ConfigParser()
c.read_string('[a]\nx = 1\nlong = one\n  two\n[b]\ny = %(z)s/q\nz = 3')
print(c.sections(), c.getint('a', 'x'), c['b']['y'], repr(c['a']['long']))
print(tomllib.loads('a = 1\n[b]\nc = [1, "x"]\nd = 2024-01-02'), shlex.split("a 'b c' d\\ e"))
