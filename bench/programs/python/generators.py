def pairs(n):
    for i in range(n):
        yield i, i * i


def main():
    return sum(b for a, b in pairs(60000) if a % 3)
