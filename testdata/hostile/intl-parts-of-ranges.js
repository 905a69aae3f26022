// Ranges of dates are written in parts, in all calendars and zones.
// ends: time limit
const calendars = Intl.supportedValuesOf('calendar');
for (let n = 0; ; n++) {
  const format = new Intl.DateTimeFormat('ar', {
    calendar: calendars[n % calendars.length], dateStyle: 'full', timeStyle: 'full', timeZone: 'America/New_York',
  });
  for (let i = 0; i < 10; i++) format.formatRangeToParts(n * 864e5 * i, n * 1e9);
}
