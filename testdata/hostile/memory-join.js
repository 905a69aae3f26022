// A few texts of ten million characters are joined to one that does not fit beside them.
// ends: memory limit
const text = 'x'.repeat(1e7);
return [text, text, text, text, text, text, text].join('') + text;
