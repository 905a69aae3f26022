# Has FreeType, Pillow and Matplotlib open what is not the project's.
# ends: returns []
import matplotlib.pyplot as plt
from matplotlib import ft2font
from PIL import Image, ImageFont

plt.plot([1, 2])
opened = []
for name in '/etc/passwd', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', '/proc/self/exe', '../../etc/passwd':
    for use in ft2font.FT2Font, ImageFont.truetype, Image.open, plt.style.use:
        try:
            opened.append(use(name))
        except OSError:
            pass
try:
    plt.savefig('/etc/cron.d/a.png')
    opened.append('saved')
except FileNotFoundError:
    pass
plt.close()
opened
