import random

random.seed(42)
print([random.randint(1, 100) for _ in range(10)], random.random(), random.gauss(0, 1), random.choices('abc', [5, 1, 1], k=8))
deck = list(range(12))
random.shuffle(deck)
print(deck, random.sample(range(1000), 5), random.uniform(1, 2), random.expovariate(3), random.betavariate(1, 2), random.getrandbits(70))
other = random.Random('text')
print(other.random(), other.triangular(), other.normalvariate(), other.randbytes(6), random.Random(b'x').randrange(0, 100, 7))
inside = sum(random.random() ** 2 + random.random() ** 2 <= 1 for _ in range(20000))
print(4 * inside / 20000)
