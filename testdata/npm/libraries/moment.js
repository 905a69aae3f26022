const moment = require('moment');
require('moment/locale/de');
const start = moment.utc('2024-01-31T22:15:00Z');
moment.locale('en');
return JSON.stringify([
  start.clone().add(1, 'month').format('YYYY-MM-DD dddd'), start.clone().locale('de').format('LLLL'),
  moment.duration(3, 'days').humanize(),
  moment.utc('25/12/2023', 'DD/MM/YYYY').diff(moment.utc('2023-11-01'), 'weeks'), moment.utc('2024-02-29').isLeapYear(),
  start.from(moment.utc('2024-03-01')), start.toISOString(),
]);
