# Debian: python3-dateutil python3-six; modules: !dateutil
import datetime

from dateutil import easter, parser, relativedelta, rrule, tz

for text in ('2024-02-29T13:45:10Z', 'Thu, 25 Sep 2003 10:49:41 -0300', '10 September 1999', '3pm 4 July 2021',
             '20240131'):
    print(parser.parse(text, default=datetime.datetime(2000, 1, 1)).isoformat())
start = datetime.date(2024, 1, 31)
print([str(start + relativedelta.relativedelta(months=n)) for n in range(5)])
print(relativedelta.relativedelta(datetime.date(2024, 3, 1), datetime.date(1999, 12, 25)))
rule = rrule.rrule(rrule.MONTHLY, byweekday=rrule.FR(-1), count=6, dtstart=datetime.datetime(2024, 1, 1))
print([f'{when:%d %b}' for when in rule])
print(rrule.rrulestr('DTSTART:20240101T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5')[-1])
print([str(easter.easter(year)) for year in range(2020, 2026)])
print(datetime.datetime(2024, 1, 1, tzinfo=tz.UTC).astimezone(tz.tzoffset('X', 3600)))
try:
    parser.parse('no date at all')
except parser.ParserError as error:
    print(error)
