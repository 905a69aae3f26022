// A function of the host is called without an end.
// ends: time limit
for (;;) echo(1, 'two', [3]);
