// Lines of a thousand characters are written without an end.
// ends: time limit
for (;;) console.log('x'.repeat(1000));
