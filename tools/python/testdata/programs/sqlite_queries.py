import sqlite3

db = sqlite3.connect('shop.db')
db.row_factory = sqlite3.Row
db.executescript('''
create table customer (id integer primary key, name text unique, city text);
create table sale (id integer primary key, customer integer references customer, amount real, day text);
create index by_customer on sale (customer);
''')
with db:
    db.executemany('insert into customer (name, city) values (?, ?)', [('Ann', 'Oslo'), ('Bob', 'Lima'), ('Cy', 'Oslo')])
    db.executemany('insert into sale (customer, amount, day) values (?, ?, ?)', [(1, 10, '2024-01-01'), (1, 5.5, '2024-01-02'), (2, 7, '2024-01-02')])
for row in db.execute('''select c.city, count(s.id) n, coalesce(sum(amount), 0) total from customer c left join sale s on s.customer = c.id
                         group by 1 order by 1'''):
    print(dict(row))
print([tuple(r) for r in db.execute('select day, amount, sum(amount) over (order by s.id) from sale s')])
print([tuple(r) for r in db.execute('with recursive f(a, b) as (select 0, 1 union all select b, a + b from f where a < 50) select a from f')][-3:])
db.create_function('shout', 1, lambda s: s.upper() + '!')
print([r[0] for r in db.execute('select shout(name) from customer order by 1 desc')])
try:
    with db:
        db.execute("insert into customer (name) values ('Dee')")
        db.execute("insert into customer (name) values ('Ann')")
except sqlite3.IntegrityError as error:
    print(error, db.execute('select count(*) from customer').fetchone()[0])
db.close()
import os
os.remove('shop.db')
