package files

import "os"

// createFlags create a file, or open the one that there is.
const createFlags = os.O_WRONLY | os.O_CREATE
