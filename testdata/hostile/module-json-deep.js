// A JSON file that is nested a million times is imported.
// ends: exception
fs.writeFileSync('/a.json', '['.repeat(1e6) + ']'.repeat(1e6));
return require('/a.json');
