import re
from collections import Counter

text = '''It was the best of times, it was the worst of times, it was the age of wisdom...
"It's" isn't “its”; naïve café-goers don't mind.'''
words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.lower())
for word, n in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))[:8]:
    print(f'{word:>10} {"#" * n}')
print(len(words), len(set(words)), max(words, key=len), sum(map(len, words)) / len(words))
print(re.sub(r'(\w+) (\w+)', lambda m: m[2] + ' ' + m[1], text.splitlines()[0]))
