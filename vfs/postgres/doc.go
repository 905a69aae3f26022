// Package postgres keeps projects in a PostgreSQL database (14 or later), which any number of machines can share.
//
//	store, err := postgres.Open(ctx, "postgres://toolrun@db.example.com/toolrun", nil)
//	...
//	project, err := store.Open(ctx, "notes")
//
// [Opener] opens it for a toolrun.Runner. Package vfs describes what stores and projects promise. The URL is as libpq
// describes it; pool_max_conns is the largest number of connections (20 by default), and search_path names the schema.
//
// # Transactions
//
// Each change of a project, and each exclusive section, is one transaction. It holds the project's row, so nobody else
// changes the project meanwhile, and others see all of it at its end, or nothing. Reading takes no lock. If the process
// dies, or its connection is lost, unfinished changes have not happened, and the lock is released.
//
// Files that are being written are kept in memory, or beyond 1 MiB in a temporary file of this machine, until they are
// closed. An open handle sees writes in place by this process at once, and those of others within a tenth of a second.
// A replaced or removed file can still be read for ten minutes; then the error is syscall.ESTALE.
//
// # Failures
//
// If the database cannot be reached, has no connection left or no room, the error is a [*vfs.UnavailableError]. Nothing
// has changed then, and the next call works if the database does. If the connection is lost during a commit, the store
// connects again and finds out whether the transaction has taken effect. If it cannot for 15 seconds, the error
// has Unknown set. If a server fails over to another one that has not received everything, the last changes can be
// lost.
package postgres
