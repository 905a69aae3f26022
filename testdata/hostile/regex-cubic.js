// Three stars in a row are only cubic, which is enough for a long text.
// ends: time limit
return /a*a*a*b/.test('a'.repeat(1e5));
