// Asks for as many iterations as a number can be.
// ends: time limit
return require('crypto').pbkdf2Sync('p', 's', 2 ** 31 - 1, 64, 'sha512').length;
