# Debian: python3-rich python3-pygments python3-commonmark python3-markdown-it python3-mdurl python3-typing-extensions
import io

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.tree import Tree

out = io.StringIO()
console = Console(file=out, width=60, color_system=None, force_terminal=False, legacy_windows=False)
table = Table(title='Sales')
table.add_column('city', style='cyan')
table.add_column('amount', justify='right')
table.add_row('Oslo', '20')
table.add_row('東京', '1,000')
console.print(table)
console.print(Panel('[bold]hello[/bold] [red]world[/red] :smile:', title='x'))
tree = Tree('root')
tree.add('a').add('b')
console.print(tree)
console.print(Markdown('# Title\n\n* one\n* two\n\n`code`'))
console.print(Syntax('def f(x):\n    return x', 'python', line_numbers=True))
console.print({'a': [1, 2, 3], 'b': {'c': None}})
console.rule('end')
print(out.getvalue())
