// A function of a megabyte is asked for its source.
// ends: time limit
const long = new Function('/*' + 'x'.repeat(1e6) + '*/');
for (;;) long.toString().length;
