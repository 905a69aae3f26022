// Imports 5000 modules in one.
// ends: returns 5000 or memory limit or exception
// grows: 228 MiB
let all = '', names = '0';
for (let i = 0; i < 5000; i++) {
  fs.writeFileSync(`/m/${i}.js`, 'export default 1');
  all += `import a${i} from './${i}.js';\n`;
  names += `+a${i}`;
}
fs.writeFileSync('/m/all.js', `${all} export default ${names.length};`);
return (await import('/m/all.js')).default && 5000;
