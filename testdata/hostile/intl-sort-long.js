// Long texts, which differ at their ends, are sorted by a locale.
// ends: time limit or memory limit
const texts = Array.from({ length: 300 }, (_, i) => 'é'.repeat(30000) + (i * 7919) % 300);
for (;;) {
  texts.sort(new Intl.Collator('sv', { numeric: true }).compare);
  texts.reverse().sort((a, b) => a.localeCompare(b));
}
