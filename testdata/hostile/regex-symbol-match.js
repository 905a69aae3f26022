// String methods are given an object that is an expression in name only and never stops to match.
// ends: time limit
const fake = {
  flags: 'g',
  global: true,
  exec: () => ({ 0: '', length: 1, index: 0 }),
  lastIndex: 0,
};
return RegExp.prototype[Symbol.replace].call(fake, 'text', 'x');
