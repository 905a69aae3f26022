// Objects get their properties in different orders, so that the engine needs another shape for each of them.
// ends: memory limit or time limit
const objects = [];
for (let i = 0; ; i++) {
  const object = {};
  for (let n = 0; n < 8; n++) object['p' + ((i >> n) % 50)] = n;
  objects.push(object);
}
