// The description of a package sends the one who asks from condition to condition, thousands of levels deep.
// ends: exception
const text = '{"name":"p","exports":' + '{"default":'.repeat(9000) + '"./index.js"' + '}'.repeat(9000) + '}';
fs.writeFileSync('/lib/node_modules/p/package.json', text);
return require('p');
