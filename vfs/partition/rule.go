package partition

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A Rule says in which of several stores, which have names, a project lies. Of Projects, Prefixes and Slots, the first
// that names a store counts. Ids are compared as stores do it: those that differ in case only are the same.
//
// A project does not move when the rule changes: it has to be moved, or be named in Projects.
type Rule struct {
	// Projects are the stores of single projects, by id.
	Projects map[string]string `json:"projects,omitempty"`
	// Prefixes are the stores of all projects whose ids begin with a text, such as "acme/". The longest one counts.
	Prefixes map[string]string `json:"prefixes,omitempty"`
	// Slots are the stores of all other projects, by the slots that [Slot] gives ids, or ranges of slots, such as
	// "0-511". All slots from 0 to [Slots]-1 must be there.
	Slots map[string]string `json:"slots"`
	// Records is the store that keeps the records beside the projects.
	Records string `json:"records"`
}

// Slots is how many slots there are.
const Slots = 1024

// Slot returns the slot of an id: the first two bytes of its SHA-256, in which each letter is the one with the least
// number among those that differ from it in case only, modulo [Slots]. It never changes.
func Slot(id string) int {
	sum := sha256.Sum256([]byte(fsys.FoldID(id)))
	return int(binary.BigEndian.Uint16(sum[:])) % Slots
}

// A router is a rule that has been checked.
type router struct {
	projects, prefixes map[string]string // by folded texts
	slots              [Slots]string
}

// check checks a rule for stores of these names.
func (r *Rule) check(known func(name string) bool) (*router, error) {
	out := &router{projects: map[string]string{}, prefixes: map[string]string{}}
	name := func(what, name string) error {
		if !known(name) {
			return fmt.Errorf("partition: %s: there is no store %q", what, name)
		}
		return nil
	}
	if err := name("records", r.Records); err != nil {
		return nil, err
	}
	for id, store := range r.Projects {
		if err := vfs.CheckID(id); err != nil {
			return nil, fmt.Errorf("partition: projects: %w", err)
		}
		if err := name("project "+id, store); err != nil {
			return nil, err
		}
		if other, ok := out.projects[fsys.FoldID(id)]; ok && other != store {
			return nil, fmt.Errorf("partition: project %s is in the rule twice", id)
		}
		out.projects[fsys.FoldID(id)] = store
	}
	for prefix, store := range r.Prefixes {
		if err := name(fmt.Sprintf("prefix %q", prefix), store); err != nil {
			return nil, err
		}
		if other, ok := out.prefixes[fsys.FoldID(prefix)]; ok && other != store {
			return nil, fmt.Errorf("partition: prefix %q is in the rule twice", prefix)
		}
		out.prefixes[fsys.FoldID(prefix)] = store
	}
	for slots, store := range r.Slots {
		if err := name("slots "+slots, store); err != nil {
			return nil, err
		}
		low, high, isRange := strings.Cut(slots, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 10, 16)
		to, err2 := strconv.ParseUint(high, 10, 16)
		if err1 != nil || err2 != nil || from > to || to >= Slots {
			return nil, fmt.Errorf("partition: slots %q: write a number or a range from 0 to %d, such as 0-511",
				slots, Slots-1)
		}
		for slot := from; slot <= to; slot++ {
			if out.slots[slot] != "" {
				return nil, fmt.Errorf("partition: slot %d is in the rule twice", slot)
			}
			out.slots[slot] = store
		}
	}
	for slot, store := range out.slots {
		if store == "" {
			return nil, fmt.Errorf("partition: slot %d is not in the rule", slot)
		}
	}
	return out, nil
}

// of returns the name of the store of a project.
func (r *router) of(id string) string {
	folded := fsys.FoldID(id)
	if store, ok := r.projects[folded]; ok {
		return store
	}
	found, longest := "", -1
	for prefix, store := range r.prefixes {
		if len(prefix) > longest && strings.HasPrefix(folded, prefix) {
			found, longest = store, len(prefix)
		}
	}
	if longest >= 0 {
		return found
	}
	return r.slots[Slot(id)]
}

// A Config is a rule with the places of its stores. As JSON:
//
//	{
//	  "stores": {
//	    "a": "postgres://toolrun@a.example.com/toolrun",
//	    "b": "postgres://toolrun@b.example.com/toolrun"
//	  },
//	  "projects": {"large": "b"},
//	  "prefixes": {"acme/": "b"},
//	  "slots": {"0-511": "a", "512-1023": "b"},
//	  "records": "a"
//	}
type Config struct {
	// Stores are the places of the stores, by name. They can have passwords, which are in no error.
	Stores map[string]string `json:"stores"`
	Rule
}

// ParseConfig reads a configuration as JSON. Every name means one thing: none may be in an object twice, and fields
// have to be written as above. It may have 100,000 values.
func ParseConfig(data []byte) (*Config, error) {
	fields, err := jsontree.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("partition: %w", err)
	}
	object, _ := fields.(map[string]any)
	for name := range object {
		if !slices.Contains([]string{"stores", "projects", "prefixes", "slots", "records"}, name) {
			return nil, fmt.Errorf("partition: unknown field %q", name)
		}
	}
	c := &Config{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("partition: %w", err)
	}
	if len(c.Stores) == 0 {
		return nil, fmt.Errorf("partition: there are no stores")
	}
	_, err = c.check(func(name string) bool { _, ok := c.Stores[name]; return ok })
	return c, err
}
