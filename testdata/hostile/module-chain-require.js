// Thousands of files require the next one, each from within the other's function.
// ends: exception
fs.mkdirSync('/m');
const write = (i) => fs.writeFileSync(`/m/${i}.js`,
  `require('/write.js')(${i} + 1); module.exports = require('./${i + 1}.js');`);
globalThis.writeFile = write;
fs.writeFileSync('/write.js', 'module.exports = writeFile;');
write(0);
return require('/m/0.js');
