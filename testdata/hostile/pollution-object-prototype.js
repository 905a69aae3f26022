// Names that the runtime's own objects could have are put on Object.prototype.
// ends: returns 1:[1]:text
for (const name of ['code', 'error', 'bytes', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable',
  'kind', 'json', 'buffer', 'encoding', 'flag', 'recursive', 'withFileTypes', 'name', 'path', 'mark', 'async']) {
  Object.prototype[name] = 'polluted';
}
fs.writeFileSync('/a', 'text', { __proto__: null });
return `${echo(1)[0]}:${JSON.stringify([1])}:${fs.readFileSync('/a', { __proto__: null, encoding: 'utf8' })}`;
