const dayjs = require('dayjs');
dayjs.extend(require('dayjs/plugin/utc'));
dayjs.extend(require('dayjs/plugin/timezone'));
dayjs.extend(require('dayjs/plugin/relativeTime'));
dayjs.extend(require('dayjs/plugin/customParseFormat'));
require('dayjs/locale/es');
return JSON.stringify([
  dayjs.utc('2024-02-28').add(2, 'day').format('YYYY-MM-DD dddd'), dayjs.tz('2024-07-01 12:00',
    'Europe/Paris').utc().format(),
  dayjs('2024-01-01').locale('es').format('D [de] MMMM'), dayjs('2024-01-01').from('2024-03-01'),
  dayjs('05/02/69', 'DD/MM/YY').year(), dayjs('x').isValid(),
]);
