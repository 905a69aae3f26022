// A JSON file has names that mean something to JavaScript.
// ends: returns undefined undefined own
fs.writeFileSync('/a.json',
  '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "then": "own", "default": 2}');
const { default: json } = await import('/a.json');
return `${{}.polluted} ${[].polluted} ${json.then}`;
