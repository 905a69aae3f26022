// Decodes as many bytes as there can be, of an encoding in which each is a character of three bytes.
// ends: exception or memory limit or returns 55000000
// grows: 128 MiB
return new TextDecoder('windows-874').decode(new Uint8Array(55e6).fill(0xe1)).length;
