# Debian: python3-markdown
import markdown

text = '''# Title

A *short* text with `code`, [a link](https://example.org "x") and <b>HTML</b>.

1. one
2. two
    * nested

| a | b |
|---|--:|
| 1 | 2 |

```python
print("x < y")
```

A note[^1].

[^1]: At the end.
'''
print(markdown.markdown(text, extensions=['tables', 'fenced_code', 'footnotes', 'toc']))
md = markdown.Markdown(extensions=['meta'])
print(md.convert('Author: Ann\nDate: today\n\nHello  \nworld'), md.Meta)
