// The replacer of JSON.stringify puts a new object around each value.
// ends: time limit or exception RangeError
return JSON.stringify(1, (key, value) => ({ value }));
