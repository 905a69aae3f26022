// A power whose exponent is as large as its base has no room anywhere.
// ends: exception RangeError
return (2n ** 64n) ** (2n ** 64n);
