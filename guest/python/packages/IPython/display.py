"""The objects of IPython.display that need no browser."""

import base64
import builtins
import json

display = builtins.display


def clear_output(wait=False):
    """Does nothing: what is shown stays."""


class DisplayObject:
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if url is not None:
            raise ValueError('url cannot be shown: get it with urllib.request, if requests are allowed, and give data')
        if filename is not None:
            with open(filename, 'rb') as file:
                data = file.read()
        self.data = data
        self.filename = filename
        self.metadata = metadata or {}

    def _text(self):
        return self.data.decode() if isinstance(self.data, bytes) else self.data


class TextDisplayObject(DisplayObject):
    pass


class HTML(TextDisplayObject):
    def _repr_html_(self):
        return self._text()


class Markdown(TextDisplayObject):
    def _repr_markdown_(self):
        return self._text()


class Latex(TextDisplayObject):
    def _repr_latex_(self):
        return self._text()


class Math(TextDisplayObject):
    def _repr_latex_(self):
        return f'$\\displaystyle {self._text().strip("$")}$'


class Pretty(TextDisplayObject):
    def __repr__(self):
        return self._text()


class JSON(DisplayObject):
    def __repr__(self):
        return json.dumps(self.data, indent=2, ensure_ascii=False) if not isinstance(self.data, (bytes, str)) \
            else self._text()


class SVG(DisplayObject):
    def _repr_svg_(self):
        return self._text()


class Image(DisplayObject):
    """An image of bytes, or of a file of the project."""

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, **rest):
        if isinstance(data, str) and filename is None and url is None:
            if data.startswith(('http:', 'https:')):
                url, data = data, None
            else:
                filename, data = data, None
        super().__init__(data, url, filename)

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = self.data
        kind = ('image/png' if data[:8] == b'\x89PNG\r\n\x1a\n' else 'image/jpeg' if data[:2] == b'\xff\xd8' else
                'image/gif' if data[:4] == b'GIF8' else 'image/webp' if data[8:12] == b'WEBP' else 'image/svg+xml')
        return {kind: data if kind == 'image/svg+xml' else base64.b64encode(data).decode()}
