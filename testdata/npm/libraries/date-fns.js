const { format, addBusinessDays, differenceInCalendarDays, formatDistance, parse, eachWeekOfInterval,
  formatRelative } = require('date-fns');
const { de, fr, ja } = require('date-fns/locale');
const day = new Date(2024, 1, 29, 13, 5);
return JSON.stringify([
  format(day, "EEEE, do MMMM yyyy 'at' HH:mm"), format(day, 'PPPP', { locale: de }),
  format(day, 'PPPpp', { locale: ja }),
  formatDistance(day, new Date(2024, 5, 1), { addSuffix: true, locale: fr }), format(addBusinessDays(day, 10),
    'yyyy-MM-dd'),
  differenceInCalendarDays(new Date(2025, 0, 1), day), parse('3. Mai 2023', 'd. MMMM yyyy', new Date(0),
    { locale: de }).getMonth(),
  eachWeekOfInterval({ start: day, end: new Date(2024, 3, 1) }).length, formatRelative(day, new Date(2024, 2, 2)),
]);
