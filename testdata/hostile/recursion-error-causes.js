// An error is the cause of itself, and has itself among its errors.
// ends: exception Error
const error = new AggregateError([], 'outer');
error.name = 'Error';
error.errors.push(error, error);
error.cause = error;
throw error;
