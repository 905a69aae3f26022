// Asks for a sum as long as can be.
// ends: memory limit
return require('crypto').createHash('shake128', { outputLength: 2 ** 31 - 1 }).digest().length;
