# Filters an image with the median of 51 times 51 pixels.
# ends: time limit
from PIL import Image, ImageFilter

image = Image.effect_noise((3000, 3000), 50)
while True:
    image.filter(ImageFilter.MedianFilter(51))
