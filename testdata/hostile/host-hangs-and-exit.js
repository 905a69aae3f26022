// The script exits while calls do not return.
// ends: exits 5
for (let i = 0; i < 100; i++) hangs();
process.exit(5);
