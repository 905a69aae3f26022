// A short text becomes many objects.
// ends: memory limit
const text = '[' + '[],'.repeat(1e6) + '[]]';
return [JSON.parse(text), JSON.parse(text)].length;
