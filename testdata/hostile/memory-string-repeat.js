// One text of 512 MiB is asked for.
// ends: memory limit
return 'x'.repeat(2 ** 29);
