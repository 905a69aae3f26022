# Debian: python3-bs4 python3-soupsieve
from bs4 import BeautifulSoup

soup = BeautifulSoup('''<html><head><title>Shop</title></head><body>
<div class="item sale" id=a><h2>Pen</h2><p>Price: <b>3.50</b></p><a href="/pen?x=1&amp;y=2">more</a></div>
<div class="item" id=b><h2>Ink &amp; Co</h2><p>Price: <b>7</b></p><ul><li>x<li>y</ul></div>
<!-- end --></body></html>''', 'html.parser')
print(soup.title.string, [div['id'] for div in soup.select('div.item')])
for div in soup.find_all('div', class_='item'):
    print(div.h2.get_text(), float(div.b.text), [a['href'] for a in div.find_all('a')])
print(soup.select_one('#b > ul > li:nth-of-type(2)'), soup.select('div:has(a)')[0]['class'])
soup.h2.string = 'Pencil'
soup.find(id='b').decompose()
print(soup.body.prettify())
print(list(soup.body.stripped_strings))
