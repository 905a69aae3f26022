// The loop deletes and adds the properties that it enumerates, once for each of thousands of names, again and again.
// ends: time limit
const object = {};
for (let i = 0; i < 2000; i++) object['p' + i] = i;
for (;;) {
  for (const name in object) {
    delete object[name];
    object[name] = 1;
  }
}
