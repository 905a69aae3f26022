// Decodes and encodes base64 that is as long as can be.
// ends: returns 40000000 or memory limit or exception
// grows: 128 MiB
return btoa(atob('AAAA'.repeat(1e7))).length;
