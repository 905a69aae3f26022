// Names of counters and timers are those of what every object has.
// ends: returns 1
for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
  console.count(name);
  console.time(name);
  console.timeEnd(name);
  console.countReset(name);
}
return Object.keys({ __proto__: null, a: 1 }).length;
