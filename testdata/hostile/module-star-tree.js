// Each of thirty modules exports all of the next one twice, by two ways: 2**30 ways lead to the last one.
// ends: time limit or returns 1
for (let i = 0; i < 30; i++) {
  fs.writeFileSync(`/l${i}.js`, `export * from './m${i}.js';`);
  fs.writeFileSync(`/r${i}.js`, `export * from './m${i}.js';`);
  fs.writeFileSync(`/m${i}.js`, i === 0 ? 'export const last = 1;'
    : `export * from './l${i - 1}.js'; export * from './r${i - 1}.js';`);
}
return (await import('/m29.js')).last;
