// The script has returned, and calls that do not return are still under way.
// ends: returns done or time limit
for (let i = 0; i < 100; i++) hangs();
return 'done';
