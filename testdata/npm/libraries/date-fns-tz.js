const { formatInTimeZone, fromZonedTime, toZonedTime } = require('date-fns-tz');
return JSON.stringify([
  formatInTimeZone(new Date('2024-07-01T12:00:00Z'), 'Europe/Berlin', 'yyyy-MM-dd HH:mm:ssXXX'),
  fromZonedTime('2024-01-15 09:30', 'America/Los_Angeles').toISOString(), toZonedTime('2024-01-15T00:00:00Z',
    'Asia/Kolkata').getHours(),
]);
