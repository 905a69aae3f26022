// Object.assign copies a string of ten million characters as properties.
// ends: memory limit
return Object.assign({}, 'x'.repeat(1e7));
