// A path has thousands of empty parts, and as many that go up.
// ends: time limit
for (;;) {
  new URL('http://a' + '/'.repeat(4000));
  new URL('http://a' + '/..'.repeat(800) + '/a'.repeat(800) + '/..'.repeat(800));
}
