// Text without line ends is written to one line that never ends.
// ends: time limit
for (;;) process.stdout.write('.');
