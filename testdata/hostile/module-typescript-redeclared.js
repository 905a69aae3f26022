// Thousands of names are declared twice, each of which is an error that says where the other one is.
// ends: time limit
const twice = Array.from({ length: 2000 }, (_, i) => `let a${i};let a${i};`).join('');
for (let i = 0; ; i++) {
  fs.writeFileSync(`/a${i}.ts`, 'let x: number;' + twice);
  try {
    await import(`/a${i}.ts`);
  } catch {}
}
