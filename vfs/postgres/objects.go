package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/toolrun/toolrun/vfs"
)

// Objects is a place for large contents outside of the database, such as a bucket of package s3. Names are made of
// ASCII letters, digits, "-" and "/". It is safe for concurrent use.
type Objects interface {
	// Put writes an object of at most [MaxObject] bytes, durably, and must not keep data. If it fails, the object may
	// be there or not.
	Put(ctx context.Context, name string, data []byte) error
	// Get returns an object. The error is fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Remove removes an object, if there is one.
	Remove(ctx context.Context, name string) error
	// List iterates over all objects, in any order. It ends after the first error.
	List(ctx context.Context) iter.Seq2[Object, error]
}

// An Object describes one of [Objects].
type Object struct {
	Name string
	// Modified is when it was written, by the clock of its place.
	Modified time.Time
}

// MaxObject is the size of the largest object in bytes.
const MaxObject = partSize

// objectTime is how long reading, writing or removing one object may take.
const objectTime = 30 * time.Second

// parallel is how many objects are written, read or removed at the same time.
const parallel = 8

// ownMark is the object that says which database the others belong to.
const ownMark = "toolrun-database"

// A storage is the objects of a database. Each object is written once, for one transaction, under a name of its own; so
// one that no part names any more is never named again. The table object has those that no part names: from before they
// are written until they are removed.
type storage struct {
	objects Objects
	keep    time.Duration
}

var (
	errOtherObjects = errors.New("the object storage is that of another database")
	errLostObjects  = errors.New("the object storage has nothing of this database, which has contents there")
	errNoObjects    = errors.New("the database has contents in object storage, which has to be named as well")
)

// adopt checks that the objects are those of the database.
func (d *database) adopt(ctx context.Context, conn *pgx.Conn, readOnly bool) error {
	var id string
	var used bool
	if err := conn.QueryRow(ctx, "SELECT id, objects FROM storage").Scan(&id, &used); err != nil {
		return err
	}
	if d.storage == nil {
		if used {
			return errNoObjects
		}
		return nil
	}
	mark, err := d.storage.objects.Get(ctx, ownMark)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && used:
		return errLostObjects
	case err != nil && !missing:
		return objectError("reading from", err)
	case !missing && string(mark) != id:
		return errOtherObjects
	case used || readOnly:
		return nil
	case missing:
		if err := d.storage.objects.Put(ctx, ownMark, []byte(id)); err != nil {
			return objectError("writing to", err)
		}
	}
	_, err = conn.Exec(ctx, "UPDATE storage SET objects = true")
	return err
}

// objectError is the error of a storage that fails. It is none of package fs: an object that is missing is no missing
// file.
func objectError(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &vfs.UnavailableError{Reason: what + " the object storage failed", Err: opaque(err)}
}

// newObject returns a name for an object.
func newObject(project int64, digest [sha256.Size]byte) string {
	var token [8]byte
	_, _ = rand.Read(token[:])
	return fmt.Sprintf("%d/%x-%x", project, digest, token)
}

// isObject reports whether a name is one that newObject makes.
func isObject(name string) bool {
	project, rest, ok := strings.Cut(name, "/")
	digest, token, also := strings.Cut(rest, "-")
	data, err := hex.DecodeString(digest + token)
	return ok && also && err == nil && len(data) == sha256.Size+8 && strings.Trim(project, "0123456789") == ""
}

// get reads an object, and checks that it is what it should be.
func (s *storage) get(name string, digest [sha256.Size]byte) ([]byte, error) {
	if s == nil {
		return nil, errNoObjects
	}
	ctx, cancel := context.WithTimeout(context.Background(), objectTime)
	defer cancel()
	data, err := s.objects.Get(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errDamaged
	case err != nil:
		return nil, objectError("reading from", err)
	case sha256.Sum256(data) != digest:
		return nil, errDamaged
	}
	return data, nil
}

// isStored reports whether a part lies in the object storage.
func (s *storage) isStored(data []byte) bool { return s != nil && len(data) == partSize }

// upload writes those parts of a transaction to the object storage that belong there. It forgets those that the
// database has already, and remembers the names of the others.
func (tx *transaction) upload(wanted func(digest [sha256.Size]byte) bool) error {
	s := tx.b.s.storage
	var digests [][]byte
	for digest, data := range tx.parts {
		if s.isStored(data) && wanted(digest) && tx.objects[digest] == "" {
			digests = append(digests, digest[:])
		}
	}
	if digests == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*objectTime)
	defer cancel()
	known, err := tx.knownParts(ctx, digests)
	if err != nil {
		return unavailable(err)
	}
	var names []string
	batch := map[[sha256.Size]byte]string{}
	for _, d := range digests {
		digest := [sha256.Size]byte(d)
		if known[digest] {
			tx.drop(digest)
			continue
		}
		name := newObject(tx.project, digest)
		batch[digest], names = name, append(names, name)
	}
	if names == nil {
		return nil
	}
	// Somebody knows of them, whatever becomes of this process.
	err = again(tx.b.s.pool, func() error {
		_, err := tx.b.s.pool.Exec(ctx,
			"INSERT INTO object (name, dead) SELECT n, false FROM unnest($1::text[]) n ON CONFLICT DO NOTHING", names)
		return err
	})
	if err != nil {
		return unavailable(err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for digest, name := range batch {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, objectTime)
			defer cancel()
			return s.objects.Put(ctx, name, tx.parts[digest])
		})
	}
	if err := group.Wait(); err != nil {
		return &vfs.UnavailableError{Reason: "writing to the object storage failed", Err: opaque(err)}
	}
	if tx.objects == nil {
		tx.objects = map[[sha256.Size]byte]string{}
	}
	for digest, name := range batch {
		tx.objects[digest] = name
	}
	return nil
}

// drop forgets a part that the database has: it stays there as long as this transaction has the lock.
func (tx *transaction) drop(digest [sha256.Size]byte) {
	tx.bytes -= len(tx.parts[digest])
	delete(tx.parts, digest)
	tx.sent[digest] = true
}

// knownParts returns which parts the database has.
func (tx *transaction) knownParts(ctx context.Context, digests [][]byte) (map[[sha256.Size]byte]bool, error) {
	rows, err := tx.conn.Query(ctx, "SELECT digest FROM part WHERE project = $1 AND digest = ANY($2)",
		tx.project, digests)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	known := map[[sha256.Size]byte]bool{}
	for _, digest := range found {
		known[[sha256.Size]byte(digest)] = true
	}
	return known, err
}

// placeOf returns what the columns data and object have for a part.
func (tx *transaction) placeOf(digest [sha256.Size]byte) (data []byte, object *string) {
	if name, ok := tx.objects[digest]; ok {
		return []byte{}, &name
	}
	return tx.parts[digest], nil
}

// nameObjects takes the objects that a transaction has written from the table of those that no part names. It fails if
// one is not there, or is to be removed: all that is sent with it is rolled back.
const nameObjects = "WITH d AS (DELETE FROM object WHERE name = ANY($1) AND NOT dead RETURNING 1) " +
	"SELECT sqrt(CASE WHEN (SELECT count(*) FROM d) = $2 THEN 1 ELSE -1 END)"

// collectedCode is the error of nameObjects.
const collectedCode = "2201F"

// queueObjects queues that parts name the objects that have been written.
func (tx *transaction) queueObjects(batch *pgx.Batch) {
	names := make([]string, 0, len(tx.objects))
	for _, name := range tx.objects {
		names = append(names, name)
	}
	if len(names) > 0 {
		batch.Queue(nameObjects, names, len(names))
	}
}

// deleteParts deletes parts, and has their objects removed later. What is to be deleted takes the place of %s.
const deleteParts = "WITH d AS (DELETE FROM part WHERE %s RETURNING object), " +
	"o AS (INSERT INTO object (name, dead) SELECT object, true FROM d WHERE object IS NOT NULL " +
	"ON CONFLICT (name) DO UPDATE SET dead = true, at = now()) SELECT count(*) FROM d"

// collect removes objects that no part has named for long enough.
func (s *Store) collect(ctx context.Context) error {
	if s.storage == nil {
		return nil
	}
	keep := s.storage.keep.Seconds()
	// A transaction that has not come to its end for so long can no longer do so: see nameObjects.
	_, err := s.pool.Exec(ctx,
		"UPDATE object SET dead = true, at = now() WHERE NOT dead AND at <= now() - make_interval(secs => $1)", keep)
	if err != nil {
		return unavailable(err)
	}
	for more := true; more; {
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx,
				"SELECT name FROM object o WHERE dead AND at <= now() - make_interval(secs => $1) "+
					"AND NOT EXISTS (SELECT FROM part p WHERE p.object = o.name) LIMIT 100 FOR UPDATE SKIP LOCKED",
				keep)
			if err != nil {
				return err
			}
			names, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			more = len(names) == 100
			if err := s.storage.remove(ctx, names); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "DELETE FROM object WHERE name = ANY($1)", names)
			return err
		})
		if err != nil {
			return unavailable(err)
		}
	}
	return nil
}

func (s *storage) remove(ctx context.Context, names []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, name := range names {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, objectTime)
			defer cancel()
			return s.objects.Remove(ctx, name)
		})
	}
	if err := group.Wait(); err != nil {
		return objectError("removing from", err)
	}
	return nil
}

// FindLostObjects looks for objects that nothing knows of, as there are after going back to an older state of the
// database, and returns how many there are. They are removed later, unless only is set. It lists all objects, which can
// take long.
func (s *Store) FindLostObjects(ctx context.Context, only bool) (lost int64, err error) {
	if s.storage == nil {
		return 0, nil
	}
	statement := "WITH lost AS (SELECT n FROM unnest($1::text[]) n WHERE NOT " +
		"EXISTS (SELECT FROM part WHERE object = n) AND NOT EXISTS (SELECT FROM object WHERE name = n))"
	if !only {
		statement += ", kept AS (INSERT INTO object (name, dead) SELECT n, true FROM lost ON CONFLICT DO NOTHING)"
	}
	statement += " SELECT count(*) FROM lost"
	var names []string
	look := func() error {
		var found int64
		err := s.pool.QueryRow(ctx, statement, names).Scan(&found)
		names = names[:0]
		lost += found
		return unavailable(err)
	}
	before := time.Now().Add(-s.storage.keep)
	for object, err := range s.storage.objects.List(ctx) {
		if err != nil {
			return lost, objectError("listing", err)
		}
		// Those that are younger may be another process's that is about to name them.
		if !isObject(object.Name) || object.Modified.After(before) {
			continue
		}
		if names = append(names, object.Name); len(names) == 1000 {
			if err := look(); err != nil {
				return lost, err
			}
		}
	}
	return lost, look()
}

// checkObjects looks whether all objects are there that the parts of a project name, and what they should be.
func (s *Store) checkObjects(ctx context.Context, tx pgx.Tx, key int64, report func(problem string)) error {
	if s.storage == nil {
		return nil
	}
	for after := []byte{}; ; {
		rows, err := tx.Query(ctx, "SELECT digest, object FROM part WHERE project "+
			"= $1 AND object IS NOT NULL AND refs > 0 AND digest > $2 ORDER BY digest LIMIT 100", key, after)
		if err != nil {
			return err
		}
		type stored struct {
			digest []byte
			object string
			err    error
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (one *stored, err error) {
			one = &stored{}
			return one, row.Scan(&one.digest, &one.object)
		})
		if err != nil || len(all) == 0 {
			return err
		}
		group := errgroup.Group{}
		group.SetLimit(parallel)
		for _, one := range all {
			group.Go(func() error {
				_, one.err = s.storage.get(one.object, [sha256.Size]byte(one.digest))
				return nil
			})
		}
		_ = group.Wait()
		for _, one := range all {
			if one.err != nil && one.err != errDamaged {
				return one.err
			}
			if one.err == nil {
				continue
			}
			var name string
			if err := tx.QueryRow(ctx,
				"SELECT coalesce(min(name), '') FROM entry WHERE project = $1 AND position($2::bytea in parts) > 0",
				key, one.digest).Scan(&name); err != nil {
				return err
			}
			report(fmt.Sprintf("a part of the content of %s is missing in the object storage, or another one: %s",
				name, one.object))
		}
		after = all[len(all)-1].digest
	}
}
