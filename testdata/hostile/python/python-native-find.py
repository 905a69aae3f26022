# Searches for what is almost everywhere, and counts it.
# ends: time limit
text = 'a' * 400_000
while True:
    text.find('a' * 200_000 + 'b')
    text.count('ab' * 1000)
    text.replace('a', 'aa')
