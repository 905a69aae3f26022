import sqlite3


def main():
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a integer primary key, b text, c real)")
    db.executemany("insert into t values (?, ?, ?)", ((i, f"k{i % 100}", i / 3) for i in range(8000)))
    rows = db.execute("select b, sum(c), count(*) from t group by b order by 2 desc").fetchall()
    db.close()
    return len(rows), rows[0][0]
