// The name of an error is a text of megabytes, and so is its class.
// ends: exception
const error = new Error('message');
error.name = 'N'.repeat(1e7);
throw error;
