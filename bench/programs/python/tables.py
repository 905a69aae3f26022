import csv
import io
import statistics

text = "a,b,c\n" + "\n".join(f"{i},{i % 7},{i * 0.5}" for i in range(4000))


def main():
    rows = list(csv.DictReader(io.StringIO(text)))
    mean, deviation = statistics.mean(float(row["c"]) for row in rows), statistics.stdev(int(row["b"]) for row in rows)
    return round(mean, 6), round(deviation, 6)
