def main():
    a = 3 ** 20000
    return str(a % 10 ** 30), pow(7, 12345, 10 ** 20 + 9)
