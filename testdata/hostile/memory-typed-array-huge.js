// One array of a billion numbers is asked for.
// ends: memory limit
new Float64Array(1e9);
