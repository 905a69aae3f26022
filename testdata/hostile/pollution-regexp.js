// RegExp.prototype.exec and its flags are replaced.
// ends: returns http://a/?b=c text
RegExp.prototype.exec = RegExp.prototype.test = RegExp.prototype[Symbol.replace] =
  RegExp.prototype[Symbol.split] = () => {
  throw new Error('replaced');
};
Object.defineProperty(RegExp.prototype, 'flags', { get: () => 'gggg' });
console.log(/a/g, ['text']);
fs.writeFileSync('/d/e', 'text');
return new URL('http://a/?b=c').href + ' ' + fs.readFileSync('/d/../d/e', 'utf8');
