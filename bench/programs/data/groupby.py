import pandas as pd

df = pd.DataFrame({"key": [i * 7919 % 997 for i in range(100_000)], "value": [i * 0.5 for i in range(100_000)]})


def main():
    groups = df.groupby("key")["value"].agg(["sum", "mean", "max"])
    return len(groups), round(float(groups["mean"].sum()), 2)
