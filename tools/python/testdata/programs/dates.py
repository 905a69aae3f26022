import calendar
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

when = datetime(2024, 3, 31, 0, 30, tzinfo=timezone.utc)
for name in ('Europe/Oslo', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'):
    local = when.astimezone(ZoneInfo(name))
    print(name, local.isoformat(), local.tzname(), local + timedelta(hours=1),
          (local + timedelta(days=200)).utcoffset())
print(date(2024, 2, 29) + timedelta(days=366), date(2024, 12, 30).isocalendar(),
      (date(2025, 1, 1) - date(2000, 1, 1)).days)
print(datetime.strptime('29/Feb/2024:13:05:09 +0130', '%d/%b/%Y:%H:%M:%S %z'), f'{when:%A %d %B %Y %j %U %p %I}')
print(calendar.month(2024, 2), datetime.fromisoformat('2024-01-02T03:04:05.678+02:00').timestamp(),
      datetime.fromtimestamp(0).isoformat())
for bad in ('2024-02-30', 'x'):
    try:
        date.fromisoformat(bad)
    except ValueError as error:
        print(error)
