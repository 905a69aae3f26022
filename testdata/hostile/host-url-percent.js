// What cannot be in a URL is encoded, three characters for each.
// ends: time limit
for (;;) new URL('x://' + '%'.repeat(4000) + '\u0001'.repeat(1000) + '?' + '"'.repeat(1000));
