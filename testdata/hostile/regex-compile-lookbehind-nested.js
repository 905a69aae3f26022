// The same with lookbehinds, whose terms are compiled backwards.
// ends: exception
return new RegExp('(?<='.repeat(1e5) + 'a' + ')'.repeat(1e5));
