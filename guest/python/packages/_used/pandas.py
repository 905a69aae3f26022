import io

import numpy as np
import pandas as pd


def use():
    frame = pd.DataFrame({"city": ["Rome", "Oslo", "Rome", "Bonn"], "sales": [1, 2, 3, 4],
                          "price": [1.5, np.nan, 2.5, 4.0], "day": ["2024-01-05", "2024-01-06", "2024-02-01", None]})
    frame["day"] = pd.to_datetime(frame["day"])
    frame["total"] = frame["sales"] * frame["price"]
    text = frame.to_csv(index=False)
    again = pd.read_csv(io.StringIO(text), parse_dates=["day"])
    for one in frame, frame["sales"], frame.dtypes, frame.describe(), again.head(2):
        repr(one), str(one)
    frame.info(buf=io.StringIO())
    groups = frame.groupby("city")
    groups["sales"].sum(), groups.sum(numeric_only=True), groups[["sales"]].mean(), groups.size()
    groups.agg({"sales": "sum", "price": "mean"}), groups["price"].agg(["min", "max"]), groups["sales"].sum().max()
    for name, part in groups:
        part["sales"].tolist()
    frame[frame["sales"] > 1], frame.loc[frame["city"] == "Rome", "sales"], frame.iloc[0], frame.iloc[1:3, :2]
    frame.sort_values("sales", ascending=False), frame.set_index("city"), frame.reset_index(drop=True)
    frame.merge(groups["price"].mean().reset_index(), on="city", how="left"), pd.concat([frame, again])
    frame["city"].value_counts(), frame["city"].unique(), frame["city"].str.upper(), frame["city"].map({"Rome": 1})
    frame["price"].fillna(0), frame.dropna(), frame.isna().sum(), frame["price"].mean(), frame["sales"].apply(str)
    frame.pivot_table(index="city", values="sales", aggfunc="sum"), frame[["sales", "price"]].corr()
    frame["day"].dt.month, frame.to_dict("records"), frame.astype({"sales": float}), frame.rename(columns={"day": "d"})
    frame.drop(columns=["day"]), frame.nlargest(2, "sales"), frame["sales"].cumsum(), frame["sales"].rolling(2).mean()
    frame.apply(lambda row: row["sales"], axis=1), frame.to_numpy(), frame.drop_duplicates(), frame.assign(x=1)
    pd.DataFrame({"a": range(1000), "b": [i % 7 for i in range(1000)]}).groupby("b")["a"].sum().max()
    list(frame.iterrows()), list(frame.itertuples()), frame.to_string(), pd.Series([1, 2, 3]).tolist()


for _ in range(12):
    use()
