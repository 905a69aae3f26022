# Debian: python3-html5lib python3-webencodings python3-six
import html5lib

for text in ('<p>one<p>two<b>bold<i>both</b>i</i>', '<table><tr><td>x</table><td>y',
             '<title>a & b</title><script>1<2</script>', '&eacute;&notin;&bogus;'):
    document = html5lib.parse(text, treebuilder='etree', namespaceHTMLElements=False)
    print(html5lib.serialize(document, tree='etree', omit_optional_tags=False, quote_attr_values='always'))
parser = html5lib.HTMLParser(strict=False)
parser.parse('<!doctype html><div><span></div>')
print([(error, position) for position, error, _ in parser.errors])
print(html5lib.parseFragment(b'<p>caf\xe9', transport_encoding='latin-1')[0].text)
