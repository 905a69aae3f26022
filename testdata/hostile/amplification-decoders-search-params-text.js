// Writes parameters that are six times as long when they are written.
// ends: memory limit or exception or returns 30000001
// grows: 128 MiB
return new URLSearchParams({'': '\u{800}'.repeat(33e5)}).toString().length;
