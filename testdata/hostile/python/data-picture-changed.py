# Decodes images whose bytes have been changed.
# ends: time limit or memory limit
import io
import random
import warnings

from PIL import Image, ImageFile

warnings.simplefilter('ignore')
ImageFile.LOAD_TRUNCATED_IMAGES = True
image = Image.effect_noise((60, 50), 50).convert('RGB')
saved = []
for kind in 'PNG', 'JPEG', 'GIF', 'BMP', 'TIFF', 'TGA', 'PCX', 'PPM', 'SGI', 'ICO', 'DDS':
    file = io.BytesIO()
    image.save(file, kind)
    saved.append(file.getvalue())
while True:
    changed = bytearray(random.choice(saved))
    for _ in range(random.randrange(1, 20)):
        changed[random.randrange(len(changed) if random.random() < .5 else 100)] = random.randrange(256)
    try:
        Image.open(io.BytesIO(changed)).load()
    except Exception:
        pass
