# Debian: python3-lark
import lark

grammar = r'''
?value: object | array | ESCAPED_STRING -> string | SIGNED_NUMBER -> number | "true" -> true | "false" -> false | "null" -> null
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: ESCAPED_STRING ":" value
%import common.ESCAPED_STRING
%import common.SIGNED_NUMBER
%import common.WS
%ignore WS
'''


class Build(lark.Transformer):
    number = lambda self, c: float(c[0])
    string = lambda self, c: c[0][1:-1]
    array = list
    pair = tuple
    object = dict
    true = lambda self, c: True
    false = lambda self, c: False
    null = lambda self, c: None


for kind in ('lalr', 'earley'):
    parser = lark.Lark(grammar, start='value', parser=kind)
    print(kind, Build().transform(parser.parse('{"a": [1, -2.5e3, "x"], "b": {"c": [true, false, null]}}')))
    try:
        parser.parse('{"a": }')
    except lark.exceptions.UnexpectedInput as error:
        print(type(error).__name__, error.line, error.column)
print(parser.parse('[1, "x"]').pretty())
