// Function.prototype.call, apply and bind keep what they are called on, which could be the host's own function.
// ends: returns 0 stolen
const { apply } = Reflect;
const { call } = Function.prototype;
let stolen = 0;
for (const name of ['call', 'apply', 'bind']) {
  Function.prototype[name] = function (...args) {
    stolen++;
    return apply(call, this, args);
  };
}
console.log('x', {});
try {
  await fs.readFile('/missing');
} catch {}
crypto.randomUUID();
setTimeout(() => {}, 0);
echo(1);
new URL('http://a');
structuredClone(new Map([[1, 2]]));
return stolen + ' stolen';
