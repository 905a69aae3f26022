# Makes an image as large as its sides can be.
# ends: exception or memory limit
from PIL import Image

Image.new('L', (9, 9)).resize((2**31 - 1, 2**31 - 1), Image.Resampling.BICUBIC)
