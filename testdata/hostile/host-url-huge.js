// A URL of ten million characters is parsed.
// ends: exception
new URL('http://a/' + 'é'.repeat(1e7));
