# Code as a notebook runs it: the value of the last expression is the result, and await works outside of functions.

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag
                                         for name in __future__.all_feature_names))
RESULT = '<result>'  # no code can have a variable of this name


def compiled(code, name):
    """Returns the parts of code, to be run one after the other. The last one leaves the result."""
    check(code)
    if AWAITABLE in builtins.__dict__ and ('await' in code or 'asyncio' in code):
        return (last_part(code, name, FLAGS, with_awaitables) or compile(code, name, 'exec', FLAGS, dont_inherit=True),)
    lines = code.split('\n')
    at = len(lines) - 1
    while at > 0 and lines[at][:1] in ('', ' ', '\t', '\r', '\f', '#', ')', ']', '}'):
        at -= 1
    # The last line that is not indented begins the last statement, most likely. It does so if what is before it is
    # whole.
    first = compiled_or_none('\n'.join(lines[:at]) + '\n', name, 'exec', FLAGS) if at > 0 else None
    if first is not None:
        last = last_part('\n' * at + '\n'.join(lines[at:]), name, FLAGS | first.co_flags & FUTURE)
        if last is not None:
            return first, last
    return (last_part(code, name, FLAGS) or compile(code, name, 'exec', FLAGS, dont_inherit=True),)


def check(code):
    if '\0' in code:
        raise SyntaxError('source code string cannot contain null bytes')  # before 3.12 a ValueError


def compiled_or_none(code, name, mode, flags):
    try:
        return compile(code, name, mode, flags, dont_inherit=True)
    except SyntaxError:
        return None


def last_part(code, name, flags, rewritten=None):
    """Compiles code to an expression, or to code that assigns the value of its last expression to RESULT, or to None if
    that cannot be."""
    # one line, which often is an expression
    if not rewritten and code.count('\n', 0, -1) == len(code) - len(code.lstrip('\n')):
        part = compiled_or_none(code, name, 'eval', flags)
        if part is not None:
            return part
    tree = compiled_or_none(code, name, 'exec', flags | ast.PyCF_ONLY_AST)
    if tree is None:
        return None
    if rewritten:
        tree = rewritten(tree)
    if tree.body and type(tree.body[-1]) is ast.Expr:
        last = tree.body[-1]
        target = ast.copy_location(ast.Name(RESULT, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    return compiled_or_none(tree, name, 'exec', flags)


def checked(code, name, scope):
    """Raises what is wrong with the syntax of code. Warnings come when it runs."""
    warnings.simplefilter('ignore')
    compiled(code, name)


def expression_value(code, name, scope):
    """Returns the value of code that is an expression and nothing else."""
    check(code)
    return value_of((compile(code.lstrip(' \t') + '\n', name, 'eval', FLAGS, dont_inherit=True),), scope)


async def awaited(parts, scope):
    """Runs parts of which some await."""
    value = None
    for part in parts:
        value = eval(part, scope)
        if part.co_flags & inspect.CO_COROUTINE:
            value = await value
    value = scope.pop(RESULT, value)
    return await value if inspect.iscoroutine(value) and sys.getrefcount(value) == 2 else value


def execute(code, name, scope):
    """Runs code, and returns its result."""
    return value_of(compiled(code, name), scope)


def value_of(parts, scope):
    """Runs parts of code one after the other, and returns the value of the last one."""
    global driver
    value = None
    for part in parts:
        if part.co_flags & inspect.CO_COROUTINE:
            driver = driven(awaited(parts, scope), stays)
            return advance()
    for part in parts:
        value = eval(part, scope)
    if value is None and RESULT not in scope and not stays:
        note_definitions(parts, scope)
    value = scope.pop(RESULT, value)
    if inspect.iscoroutine(value) and sys.getrefcount(value) == 2:  # main() as the last line, which nothing else keeps
        driver = driven(value, stays)
        return advance()
    if has_tasks():
        driver = driven(None, stays, value)
        return advance()
    return value


def resumed(code, name, scope):
    """Goes on with code that has waited."""
    return advance()
