// One buffer of two gigabytes is asked for.
// ends: memory limit
new ArrayBuffer(2 ** 31);
