import io

import pandas as pd

text = "city,day,amount\n" + "\n".join(f"city{i % 50},2026-01-{i % 28 + 1:02},{i * 0.25}" for i in range(30_000))


def main():
    df = pd.read_csv(io.StringIO(text), parse_dates=["day"])
    return len(df), str(df["day"].max()), len(df.to_csv(index=False))
