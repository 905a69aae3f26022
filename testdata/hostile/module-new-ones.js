// A module is written and imported in each turn of a loop, and all of them stay loaded.
// ends: time limit or memory limit or exception
for (let i = 0; ; i++) {
  fs.writeFileSync(`/m${i}.js`, `export default ${i};`);
  await import(`/m${i}.js`);
}
