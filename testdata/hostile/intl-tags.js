// Language tags that are long, wrong and many, and lists of locales that do not end.
// ends: time limit
for (let n = 0; ; n++) {
  const tag = 'en-' + Array.from({ length: n % 60 }, (_, i) => (i * 7919 + n).toString(36).padStart(5, 'a')).join('-') +
    '-u-' + 'nu-thai-'.repeat(n % 50) + 'x-' + n;
  const locales = new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 53 : tag), has: () => true });
  for (const list of [tag, [tag, tag], locales, { length: n % 3, 0: tag }]) {
    try { new Intl.DisplayNames(list, { type: 'language' }).of(tag); } catch { /* not a tag */ }
    try { new Intl.Locale(tag, { language: tag, calendar: tag }).maximize(); } catch { /* neither */ }
  }
}
