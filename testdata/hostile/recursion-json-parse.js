// JSON is nested a million times.
// ends: exception
JSON.parse('['.repeat(1e6));
