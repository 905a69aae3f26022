// A module waits for a timer that is due in twelve days, and an import waits for the module.
// ends: time limit
fs.writeFileSync('/a.js', 'await new Promise((resolve) => setTimeout(resolve, 1e9));');
await import('/a.js');
