// A thousand objects all refer to one another, so that there are more ways through them than can be gone.
// ends: time limit or memory limit
const objects = Array.from({ length: 1000 }, () => ({}));
for (const a of objects) for (let i = 0; i < 20; i++) a['o' + i] = objects[(i * 7919) % 1000];
console.log(objects);
