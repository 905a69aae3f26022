// A URLPattern has a regular expression that takes exponential time.
// ends: time limit
const pattern = new URLPattern({ pathname: '/:all((?:a+)+b)' });
pattern.test({ pathname: '/' + 'a'.repeat(40) });
