import re

text = "the quick brown fox, 12 jumps on 2024-05-17; mail a.b@example.org " * 200


def main():
    found = re.findall(r"\d{4}-\d{2}-\d{2}|[\w.]+@[\w.]+", text)
    return len(found), re.sub("[aeiou]", lambda m: m[0].upper(), text)[:20]
