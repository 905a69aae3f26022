# Debian: python3-pyparsing; modules: !pyparsing
import pyparsing as pp

number = pp.pyparsing_common.number
expression = pp.infix_notation(number, [
    ('-', 1, pp.OpAssoc.RIGHT), ('^', 2, pp.OpAssoc.RIGHT), (pp.one_of('* /'), 2, pp.OpAssoc.LEFT),
    (pp.one_of('+ -'), 2, pp.OpAssoc.LEFT)])
for text in ('1 + 2 * 3', '(1 + 2) * -3', '2 ^ 3 ^ 2 / 4.5', '1 +'):
    try:
        print(text, '=>', expression.parse_string(text, parse_all=True).as_list())
    except pp.ParseException as error:
        print(text, '=>', error)
assignment = pp.Word(pp.alphas)('name') + pp.Suppress('=') + pp.QuotedString('"')('value')
for match in assignment.search_string('a = "1", b="two words"; c = 3'):
    print(match.as_dict())
print(pp.nested_expr().parse_string('(a (b c) ((d)))').as_list())
