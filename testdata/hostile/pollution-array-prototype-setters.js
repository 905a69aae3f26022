// Arrays have setters for their first elements, which steal what is put into them.
// ends: returns 0 stolen
let stolen = 0;
for (let i = 0; i < 10; i++) {
  Object.defineProperty(Array.prototype, i, {
    set() {
      stolen++;
    },
    get() {
      return 'wrong';
    },
    configurable: true,
  });
}
console.log(1, 2, 3);
console.table({ a: { b: 1 } });
fs.writeFileSync('/a/b', 'x');
fs.readdirSync('/', { recursive: true });
crypto.randomUUID();
echo(1, 2);
new URL('http://a/b?c=d').searchParams.get('c');
structuredClone({ a: { b: 1 } });
return stolen + ' stolen';
