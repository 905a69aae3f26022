// URLPatterns of thousands of parts are compiled.
// ends: time limit
for (let n = 1; ; n++) {
  try {
    new URLPattern({ pathname: '/:a{b}?*'.repeat(n * 100), hostname: '{:h.}*'.repeat(n * 100) + 'com' }).exec(
      'http://a.b.c/' + 'x/'.repeat(n * 100));
  } catch {
    continue;
  }
}
