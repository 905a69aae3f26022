// Dates are written with ever other options, so that nothing is kept, and at the ends of time.
// ends: time limit
const widths = ['narrow', 'short', 'long'];
for (let n = 0; ; n++) {
  const options = {
    weekday: widths[n % 3], era: widths[(n >> 1) % 3], month: widths[(n >> 2) % 3],
    timeZoneName: 'longGeneric', dayPeriod: 'long', hour: 'numeric',
    calendar: ['persian', 'japanese', 'x'.repeat(3 + n % 5)][n % 3],
    timeZone: Intl.supportedValuesOf('timeZone')[n % 400], numberingSystem: 'thai',
  };
  const format = new Intl.DateTimeFormat([`th-x-a${n % 10000}`, 'ar'], options);
  format.formatRangeToParts(-8.64e15, 8.64e15);
  try { new Intl.DateTimeFormat('en', { timeZone: 'a/'.repeat(n % 100000) }); } catch { /* not a zone */ }
}
