// Parameters of a URL are added, and the URL gets longer with each.
// ends: time limit or exception
const url = new URL('http://a');
for (let i = 0; ; i++) url.searchParams.append('x', i);
