// Names of hosts are long, not ASCII, and full of parts that are encoded in another way.
// ends: time limit
for (;;) {
  for (const host of ['ä'.repeat(2000), 'xn--a.'.repeat(1000), '1.'.repeat(2000),
    '[' + '0:'.repeat(1000) + ']', '\u00ad'.repeat(3000) + 'a']) {
    try {
      new URL('http://' + host);
    } catch {}
  }
}
