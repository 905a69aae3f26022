# Loads fonts whose bytes have been changed, and their glyphs.
# ends: time limit or memory limit
import io
import random

from matplotlib import font_manager, ft2font
import _stdlib

font = _stdlib.open(font_manager.findfont('DejaVu Sans'), 'rb').read()
while True:
    changed = bytearray(font)
    for _ in range(200):
        changed[random.randrange(len(changed) if random.random() < .5 else 2000)] = random.randrange(256)
    try:
        face = ft2font.FT2Font(io.BytesIO(changed))
        face.set_size(20, 100)
        face.set_text('Wasm, \u03b1', 0)
        face.draw_glyphs_to_bitmap()
    except (RuntimeError, ValueError, OverflowError, UnicodeDecodeError):
        pass
