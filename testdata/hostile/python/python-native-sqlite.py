# Lets SQLite count without end.
# ends: time limit
import sqlite3
sqlite3.connect(':memory:').execute('with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t').fetchall()
