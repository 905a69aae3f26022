import pandas as pd

left = pd.DataFrame({"id": [i * 7919 % 20_011 for i in range(50_000)], "a": range(50_000)})
right = pd.DataFrame({"id": range(20_011), "name": [f"name {i % 100}" for i in range(20_011)]})


def main():
    joined = left.merge(right, on="id").sort_values(["name", "a"])
    return len(joined), joined["name"].iloc[0]
