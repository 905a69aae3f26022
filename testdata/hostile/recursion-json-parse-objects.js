// JSON is nested in objects, and a reviver goes to the innermost one.
// ends: exception
JSON.parse('{"a":'.repeat(1e5) + '1' + '}'.repeat(1e5), (key, value) => value);
