// The query of a URL is set to a long text, and read as parameters, again and again.
// ends: time limit or exception
const url = new URL('http://a');
for (;;) {
  url.search = 'é'.repeat(1000);
  url.searchParams.size;
}
