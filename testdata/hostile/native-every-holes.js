// The method every calls nothing at all, because all that there is are holes.
// ends: time limit
return new Array(2 ** 32 - 1).every(() => false);
