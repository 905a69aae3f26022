// Texts of a single segment, and of as many as there can be, are divided without an end.
// ends: time limit
const long = ['e' + '\u0301'.repeat(2000000), 'x'.repeat(2000000), 'a. '.repeat(500000),
  '. ' + '1 '.repeat(500000), '\u{1f1e9}'.repeat(500000)];
for (let n = 0; ; n++) {
  for (const granularity of ['grapheme', 'word', 'sentence']) {
    const segments = new Intl.Segmenter('en', { granularity }).segment(long[n % long.length]);
    segments.containing(1e6);
    let count = 0;
    for (const { segment } of segments) if (segment === '' || ++count > 1e5) break;
  }
}
