// Compares texts whose characters sort as eighteen others each, and divides one after a character of a megabyte.
// ends: exception RangeError
// grows: 176 MiB
const mixed = 'e' + '\u0301'.repeat(500000) + 'a'.repeat(2000000);
new Intl.Segmenter().segment(mixed).containing(600000);
const ligatures = '\ufdfa'.repeat(1000000);
(ligatures + 'a').localeCompare(ligatures);
