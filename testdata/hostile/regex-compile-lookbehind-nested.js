// Lookbehinds, whose terms are compiled backwards, are nested deeper than the compiler can recurse.
// ends: exception
return new RegExp('(?<='.repeat(1e5) + 'a' + ')'.repeat(1e5));
