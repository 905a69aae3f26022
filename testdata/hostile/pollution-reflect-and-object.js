// The functions of Reflect and Object are replaced.
// ends: returns text
for (const holder of [Reflect, Object, JSON, Math, Number]) {
  for (const name of Object.getOwnPropertyNames(holder)) {
    if (typeof holder[name] !== 'function' || name === 'getOwnPropertyNames') continue;
    holder[name] = () => {
      throw new Error('replaced');
    };
  }
}
fs.writeFileSync('/a', 'text');
console.log({ a: new Date(0) }, new Error('x'));
return fs.readFileSync('/a', 'utf8');
