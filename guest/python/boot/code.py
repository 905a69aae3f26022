# Code as a notebook runs it: the value of the last expression is the result, and await works outside of functions.

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
RESULT = '<result>'  # no code can have a variable of this name


def compiled(code, name):
    """Returns the parts of code, to be run one after the other. The last one leaves the result."""
    if '\0' in code:
        raise SyntaxError('source code string cannot contain null bytes')  # before 3.12 a ValueError
    lines = code.split('\n')
    at = len(lines) - 1
    while at > 0 and lines[at][:1] in ('', ' ', '\t', '\r', '\f', '#', ')', ']', '}'):
        at -= 1
    # The last line that is not indented begins the last statement, most likely. It does so if what is before it is whole.
    first = compiled_or_none('\n'.join(lines[:at]) + '\n', name, 'exec', FLAGS) if at > 0 else None
    if first is not None:
        last = last_part('\n' * at + '\n'.join(lines[at:]), name, FLAGS | first.co_flags & FUTURE)
        if last is not None:
            return first, last
    return (last_part(code, name, FLAGS) or compile(code, name, 'exec', FLAGS, dont_inherit=True),)


def compiled_or_none(code, name, mode, flags):
    try:
        return compile(code, name, mode, flags, dont_inherit=True)
    except SyntaxError:
        return None


def last_part(code, name, flags):
    """Compiles code to an expression, or to code that assigns the value of its last expression to RESULT, or to None if
    that cannot be."""
    if code.count('\n', 0, -1) == len(code) - len(code.lstrip('\n')):  # one line, which often is an expression
        part = compiled_or_none(code, name, 'eval', flags)
        if part is not None:
            return part
    tree = compiled_or_none(code, name, 'exec', flags | ast.PyCF_ONLY_AST)
    if tree is None:
        return None
    if tree.body and type(tree.body[-1]) is ast.Expr:
        last = tree.body[-1]
        target = ast.copy_location(ast.Name(RESULT, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    return compiled_or_none(tree, name, 'exec', flags)


async def awaited(parts, scope):
    """Runs parts of which some await."""
    value = None
    for part in parts:
        value = eval(part, scope)
        if part.co_flags & inspect.CO_COROUTINE:
            value = await value
    return value


def execute(code, name, scope):
    """Runs code, and returns its result."""
    value = None
    parts = compiled(code, name)
    for part in parts:
        if part.co_flags & inspect.CO_COROUTINE:
            value = asyncio.run(awaited(parts, scope))
            break
    else:
        for part in parts:
            value = eval(part, scope)
    return scope.pop(RESULT, value)
