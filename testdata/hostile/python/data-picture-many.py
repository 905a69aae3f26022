# Keeps images until there is no memory.
# ends: memory limit or exception
from PIL import Image

kept = []
while True:
    kept.append(Image.new('RGB', (4000, 4000)))
