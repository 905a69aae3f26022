// URLs are kept, whose parts are as long as they may be.
// ends: memory limit or time limit
const urls = [];
for (let i = 0; ; i++) urls.push(new URL('http://a/' + 'x'.repeat(5000) + i));
