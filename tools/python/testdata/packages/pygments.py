# Debian: python3-pygments
from pygments import highlight
from pygments.formatters import HtmlFormatter, NullFormatter, TerminalFormatter
from pygments.lexers import get_lexer_by_name, guess_lexer

for name, code in {'python': 'def f(x: int) -> str:\n    return f"{x!r}"  # done\n', 'json': '{"a": [1, true, null]}',
                   'sql': "select * from t where x = 'y';",
                   'go': 'package main\nfunc main() { println("x") }\n', 'html': '<p class="x">a &amp; b</p>',
                   'bash': 'for f in *; do echo "$f"; done'}.items():
    lexer = get_lexer_by_name(name)
    print(lexer.name, highlight(code, lexer, HtmlFormatter(nowrap=True)))
    print(highlight(code, lexer, TerminalFormatter()).encode())
print(guess_lexer('#!/usr/bin/python\nprint(1)').name, HtmlFormatter(style='friendly').get_style_defs('.x')[:200])
