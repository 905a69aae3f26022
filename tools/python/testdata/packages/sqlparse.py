# Debian: python3-sqlparse
import sqlparse

text = "select a, b as c from t left join u on t.id = u.id where a > 1 and b in (select x from y) order by 1; insert into t values (1, 'x;y') -- end"
for statement in sqlparse.split(text):
    parsed = sqlparse.parse(statement)[0]
    print(parsed.get_type(), [str(token.ttype) for token in parsed.tokens if not token.is_whitespace][:6])
    print(sqlparse.format(statement, reindent=True, keyword_case='upper', strip_comments=True))
