// Thousands of modules import the next one, which is all linked by recursion.
// ends: exception or time limit or memory limit
for (let i = 0; i < 5000; i++) fs.writeFileSync(`/m/${i}.js`, `import next from './${i + 1}.js'; export default next;`);
return (await import('/m/0.js')).default;
