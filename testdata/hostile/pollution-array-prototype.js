// Methods of arrays are replaced by functions that throw.
// ends: returns [1,{"a":2}]
for (const name of Object.getOwnPropertyNames(Array.prototype)) {
  if (name !== 'length' && name !== 'constructor') {
    Array.prototype[name] = () => {
      throw new Error('replaced');
    };
  }
}
console.log([1, { a: 2 }], new Map([]), new URLSearchParams('a=1'));
return JSON.stringify(echo(1, { a: 2 }));
