# Functions of the host in code that awaits. A call of one waits for its value, and gives it; but where the code awaits
# what the call gives, it must give something to await. Which of them is meant, the code itself says: a value cannot be
# awaited, so what is awaited, or given to asyncio.gather and its like, is meant to be awaitable.

AWAITABLE = '<awaitable>'  # no code can have a variable of this name
CONSUMERS = {'gather', 'create_task', 'ensure_future', 'wait_for', 'as_completed', 'shield', 'run_until_complete'}
OF_ASYNCIO = {'run', 'wait'}  # what other things have, too
ADDERS = {'append', 'appendleft', 'add', 'insert', 'extend'}


def awaitable(called):
    """Returns what gives something to await, for a function of the host, and anything else as it is."""
    return called.start if type(called) is Function else called


def with_awaitables(tree):
    """Makes calls awaitable where the code awaits them."""
    scopes = [tree]
    while scopes:
        nodes = []
        stack = list(ast.iter_child_nodes(scopes.pop()))
        while stack:
            node = stack.pop()
            nodes.append(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                scopes.append(node)
            else:
                stack.extend(ast.iter_child_nodes(node))
        Awaited().find(nodes)
    return tree


class Awaited:
    """What is awaited in the code of one function, or outside of functions."""

    def __init__(self):
        self.names = set()  # variables with it
        self.calls = {}  # by their id
        self.mapped = []  # calls of map whose function gives it

    def find(self, nodes):
        before = None
        while before != len(self.names):
            before = len(self.names)
            for node in nodes:
                self.look_at(node)
        for call in self.mapped:
            call.args[0] = marked(call.args[0])
        for call in self.calls.values():
            call.func = marked(call.func)

    def look_at(self, node):
        match node:
            case ast.Await():
                self.take(node.value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name),
                                             attr=attr)) if name in self.names and attr in ADDERS:
                self.take_all(node.args)
            case ast.Call(func=ast.Attribute(value=ast.Name(id='asyncio'), attr=attr)) if attr in OF_ASYNCIO:
                self.take_all(node.args)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in CONSUMERS:
                self.take_all(node.args)
            case ast.For() | ast.comprehension():
                self.iterate(node.target, node.iter)
            case ast.Assign():
                for target in node.targets:
                    self.assign(target, node.value)
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() if node.value:
                self.assign(node.target, node.value)

    def assign(self, target, value):
        match target:
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in self.names:
                self.take(value)
            case ast.Tuple() if isinstance(value, ast.Tuple):
                for one, other in zip(target.elts, value.elts):
                    self.assign(one, other)

    def iterate(self, target, over):
        match target, over:
            case ast.Name(id=name), _ if name in self.names:
                self.take(over)
            case ast.Tuple(elts=[_, last]), ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr='items')):
                self.iterate(last, owner)
            case ast.Tuple(elts=[_, last]), ast.Call(func=ast.Name(id='enumerate'), args=[first, *_]):
                self.iterate(last, first)
            case ast.Tuple(), ast.Call(func=ast.Name(id='zip')):
                for one, other in zip(target.elts, over.args):
                    self.iterate(one, other)

    def take_all(self, values):
        for value in values:
            self.take(value)

    def take(self, value):
        """Notes an expression of something that is awaited, or that contains it."""
        match value:
            case ast.Name():
                self.names.add(value.id)
            case ast.Call() if id(value) not in self.calls:
                self.calls[id(value)] = value
                match value:
                    case ast.Call(func=ast.Name(id='list' | 'tuple' | 'set')):
                        self.take_all(value.args)
                    case ast.Call(func=ast.Name(id='map'), args=[ast.Lambda() as made, *_]):
                        self.take(made.body)
                    case ast.Call(func=ast.Name(id='map'), args=[_, *_]):
                        self.mapped.append(value)
                    case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr='values')):
                        self.take(owner)
            case ast.List() | ast.Tuple() | ast.Set():
                self.take_all(value.elts)
            case ast.Dict():
                self.take_all(value.values)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self.take(value.elt)
            case ast.Starred() | ast.NamedExpr() | ast.DictComp() | ast.Subscript():
                self.take(value.value)
            case ast.IfExp():
                self.take_all((value.body, value.orelse))
            case ast.BinOp():
                self.take_all((value.left, value.right))


def marked(called):
    """Returns an expression of what is called in the place of another one."""
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(AWAITABLE, ast.Load()), called), [called], []), called)
