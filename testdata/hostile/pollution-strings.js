// Methods of strings are replaced, but for those that cannot be.
// ends: returns http://a/c?b=1#d
for (const name of Object.getOwnPropertyNames(String.prototype)) {
  if (name === 'length' || name === 'constructor') continue;
  try {
    String.prototype[name] = () => {
      throw new Error('replaced');
    };
  } catch {}
}
const url = new URL('../c?b=1', 'http://a/b/');
url.hash = 'd';
console.log(`${url.href}`, 'x');
return url.href;
