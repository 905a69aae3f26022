// Built-in functions and prototypes get another prototype, a proxy that listens.
// ends: returns 0 heard
let heard = 0;
const ear = new Proxy({ __proto__: null }, {
  get(target, name) {
    heard++;
    return undefined;
  },
  has() {
    heard++;
    return false;
  },
});
Object.setPrototypeOf(Object.getPrototypeOf(async () => {}), ear);
Object.setPrototypeOf(console, ear);
Object.setPrototypeOf(fs, ear);
console.log('x', 1);
fs.writeFileSync('/a', 'x');
fs.readFileSync('/a', 'utf8');
return heard + ' heard';
