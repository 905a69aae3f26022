// The methods padStart and padEnd fill with a text that does not fit evenly.
// ends: time limit
for (;;) 'x'.padStart(5e6, 'abc').padEnd(1e7, 'é');
