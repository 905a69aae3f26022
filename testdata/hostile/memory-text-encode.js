// A text is encoded to three bytes for each character.
// ends: memory limit
return new TextEncoder().encode('€'.repeat(2e7)).length;
