// Collators and other formatters are made by the 100,000, of ever other kinds, and kept.
// ends: memory limit or time limit
const kept = [];
for (let n = 0; ; n++) {
  const locale = ['de', 'sv', 'ja', 'zh', 'th', 'cs'][n % 6];
  const collator = new Intl.Collator(locale, { numeric: n % 2 === 0,
    sensitivity: ['base', 'accent', 'case', 'variant'][n % 4], caseFirst: ['upper', 'lower', 'false'][n % 3] });
  for (let i = 0; i < 40; i++) collator.compare('x' + i, 'y' + n);
  kept.push(collator, new Intl.Segmenter(locale), new Intl.PluralRules(locale), new Intl.ListFormat(locale),
    new Intl.RelativeTimeFormat(locale));
}
