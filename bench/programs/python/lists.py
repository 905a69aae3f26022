def main():
    flags = [True] * 200000
    for i in range(2, 448):
        if flags[i]:
            flags[i * i::i] = [False] * len(flags[i * i::i])
    return sum(i for i, is_prime in enumerate(flags) if is_prime)
