const { DateTime, Duration, Interval } = require('luxon');
const at = DateTime.fromISO('2024-03-10T01:30:00', { zone: 'America/New_York' });
return JSON.stringify([
  at.plus({ hours: 2 }).toISO(), at.setZone('Asia/Tokyo').toFormat('yyyy LLL dd, HH:mm ZZZZ'),
  at.setLocale('fr').toLocaleString(DateTime.DATETIME_FULL),
  Duration.fromObject({ hours: 30, minutes: 90 }).normalize().toHuman(), Interval.fromDateTimes(at,
    at.plus({ days: 3 })).splitBy({ days: 1 }).length,
  DateTime.fromFormat('12 mars 2024', 'd LLLL yyyy', { locale: 'fr', zone: 'utc' }).toISODate(),
  at.diff(DateTime.fromISO('2024-01-01', { zone: 'utc' }), ['months', 'days']).toObject().months,
]);
