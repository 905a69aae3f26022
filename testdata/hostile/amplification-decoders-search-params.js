// Parses a query of a million parameters without names.
// ends: memory limit or exception or returns 1000000
// grows: 128 MiB
return [...new URLSearchParams('&a'.repeat(1e6))].length;
