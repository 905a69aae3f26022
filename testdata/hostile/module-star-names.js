// A namespace is put together from modules with thousands of names each, all of which clash.
// ends: time limit or memory limit
let names = '';
for (let i = 0; i < 3000; i++) names += `export const n${i} = ${i};`;
let all = '';
for (let i = 0; i < 20; i++) {
  fs.writeFileSync(`/m${i}.js`, names);
  all += `export * from './m${i}.js';`;
}
for (let i = 0; ; i++) {
  fs.writeFileSync(`/all${i}.js`, all);
  await import(`/all${i}.js`);
}
