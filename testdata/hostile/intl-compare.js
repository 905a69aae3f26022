// Megabytes are compared, in every way and in languages with many rules.
// ends: time limit
const marks = 'a' + '\u0323\u0301\u0f71\u0f72'.repeat(200000);
const digits = '1'.repeat(1000000);
for (let n = 0; ; n++) {
  for (const locale of ['en', 'zh', 'ja', 'vi', 'th']) {
    const collator = new Intl.Collator(locale, { numeric: true, ignorePunctuation: n % 2 === 1, sensitivity: 'case' });
    collator.compare(marks + n, marks);
    collator.compare(digits + n, digits);
    digits.localeCompare(marks, locale);
    (marks + 'Σ').toLocaleLowerCase('lt');
  }
}
