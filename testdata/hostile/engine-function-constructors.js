// Constructors of all kinds of functions, and the prototypes that they have, lead to code outside of the script.
// ends: returns nothing-reached
const constructors = [function () {}, function* () {}, async () => {}, async function* () {}].map((f) => f.constructor);
const reached = [];
for (const make of constructors) {
  for (const name of ['std', 'os', 'kernel', 'primitive', 'host', 'wrapper']) {
    try {
      const made = make(`return typeof ${name} === 'undefined' ? undefined : ${name}`);
      const value = await made();
      if (value !== undefined && !(value?.next)) reached.push(name);
    } catch {}
  }
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
