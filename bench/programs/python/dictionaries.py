words = [f"word{i * 7919 % 997}" for i in range(30000)]


def main():
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
