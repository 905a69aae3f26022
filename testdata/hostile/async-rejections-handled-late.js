// Rejections are handled just after they have been noted as unhandled.
// ends: time limit
for (;;) await Promise.reject(1).catch(() => {});
