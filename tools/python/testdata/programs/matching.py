import ast
import operator


def calculate(node):
    match node:
        case ast.Expression(body=body):
            return calculate(body)
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right):
            return {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                    ast.Div: operator.truediv}[type(op)](calculate(left), calculate(right))
        case ast.UnaryOp(ast.USub(), operand):
            return -calculate(operand)
    raise ValueError(f'not allowed: {ast.dump(node)}')


for text in ('1 + 2 * 3', '-(4 - 1) / 2', '2 ** 3', 'print(1)'):
    try:
        print(text, '=', calculate(ast.parse(text, mode='eval')))
    except ValueError as error:
        print(error)


def describe(value):
    match value:
        case []: return 'empty'
        case [x]: return f'one {x}'
        case [x, *rest] if len(rest) > 2: return f'{x} and {len(rest)} more'
        case {'kind': 'point', 'at': (x, y), **rest}: return f'{x},{y} {rest}'
        case str() | bytes(): return 'text'
        case _: return 'other'


print([describe(v) for v in ([], [1], [1, 2, 3, 4], {'kind': 'point', 'at': (1, 2), 'z': 3}, 'x', 7)])
