// A text is longer than the engine could count.
// ends: memory limit
return 'x'.repeat(2 ** 30);
