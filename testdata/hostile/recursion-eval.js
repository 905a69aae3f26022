// Code that is evaluated evaluates itself.
// ends: exception RangeError
globalThis.text = 'eval(text)';
eval(text);
