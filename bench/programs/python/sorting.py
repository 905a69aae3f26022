values = [i * 7919 % 100003 for i in range(40000)]


def main():
    return sorted(values)[100], sorted(values, key=lambda v: -v)[100]
