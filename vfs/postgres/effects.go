package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

// missingPart is the code of the error by which the database says that a part is not there which entries use.
const missingPart = "TRPRT"

const applyStatement = "SELECT apply($1, $2::bytea[], $3::bigint[], $4::bigint[], $5::boolean[], " +
	"$6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::integer[], $11::bigint[], $12::bigint[], " +
	"$13::integer[], $14::bytea[], $15::bigint[], $16::bigint[], $17::integer[], $18::bigint, $19::bigint[], " +
	"$20::bigint[], $21::timestamptz[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], " +
	"$27::integer, $28::bigint, $29::bigint, $30::bigint, $31::bigint, $32::bigint, $33::bigint, $34::bigint)"

// queueEffects queues all that has been done, but for new parts: one statement, whose text and plans the database
// keeps. The parts that are used more often or less often than before are given.
func (tx *transaction) queueEffects(batch *pgx.Batch, used [][]byte, times []int64, s project.State) {
	var removed []int64
	var all entryColumnsOf
	for ino, was := range tx.was {
		switch e := tx.entries[ino]; {
		case was == nil && (e == nil || e.dir == nowhere):
		case e.dir == nowhere:
			removed = append(removed, ino)
		case was == nil || !sameRow(was, e):
			all.add(e, was == nil)
		}
	}
	var touched, secs []int64
	var nsecs []int32
	for ino, at := range tx.touched {
		if _, whole := tx.was[ino]; whole {
			continue
		}
		touched, secs, nsecs = append(touched, ino), append(secs, at.Unix()), append(nsecs, int32(at.Nanosecond()))
	}
	args := append([]any{tx.project, used, times, removed}, all.args()...)
	args = append(args, touched, secs, nsecs)
	args = append(args, tx.changes.args()...)
	args = append(args, int32(tx.version%tokens+1), tx.token,
		max(0, s.Bytes), max(0, s.Files), s.Kept, s.Oldest, s.Next, tx.nextIno)
	batch.Queue(applyStatement, args...)
}

func sameRow(a, b *entry) bool {
	return a.dir == b.dir && a.name == b.name && a.mode == b.mode && a.size == b.size &&
		a.sec == b.sec && a.nsec == b.nsec &&
		slices.Equal(a.parts, b.parts)
}

// entryColumnsOf are the columns of some entries, and whether each is new.
type entryColumnsOf struct {
	made         []bool
	ino, dir     []int64
	name, folded []string
	mode         []int32
	size, sec    []int64
	nsec         []int32
	parts        [][]byte
}

func (c *entryColumnsOf) add(e *entry, made bool) {
	c.made = append(c.made, made)
	c.ino, c.dir = append(c.ino, e.ino), append(c.dir, e.dir)
	c.name, c.folded = append(c.name, e.name), append(c.folded, e.folded)
	c.mode, c.size = append(c.mode, e.mode), append(c.size, e.size)
	c.sec, c.nsec = append(c.sec, e.sec), append(c.nsec, e.nsec)
	parts := e.parts
	if parts == nil {
		parts = []byte{}
	}
	c.parts = append(c.parts, parts)
}

func (c *entryColumnsOf) args() []any {
	return []any{c.made, c.ino, c.dir, c.name, c.folded, c.mode, c.size, c.sec, c.nsec, c.parts}
}
