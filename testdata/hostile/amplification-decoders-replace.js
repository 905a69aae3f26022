// Replaces each character of a text by all of it.
// ends: memory limit or exception
// grows: 128 MiB
return 'x'.repeat(2 ** 15).replace(/x/g, '$`$&$\'').length;
