// The description of a package sends the one who asks from condition to condition.
// ends: exception
let conditions = './index.js';
for (let i = 0; i < 900; i++) conditions = { default: conditions, require: null, import: [conditions] };
try {
  fs.writeFileSync('/lib/node_modules/p/package.json', JSON.stringify({ name: 'p', exports: conditions }));
} catch (error) {
  fs.writeFileSync('/lib/node_modules/p/package.json', '{"name":"p","exports":' + '{"default":'.repeat(5000) + '"./index.js"' + '}'.repeat(5000) + '}');
}
for (;;) require('p');
