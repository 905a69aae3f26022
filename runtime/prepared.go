package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/cachedir"
)

// preparedKind is the kind of entries of a cache directory that are images made by a [Preparation].
const preparedKind = "prepared"

// A Preparation makes an image from which runs of anybody can start, as the first image of a program is one: with
// packages that take long to load. It sees the same time and randomness whenever it runs if [Guest].SameImage is set.
type Preparation struct {
	// Name is that of the image. The image is made once for each name, and kept in the cache directory for programs of
	// the same build.
	Name string
	// Memory is the limit of memory, in bytes, while the image is made.
	Memory int64
	// IdleMemory is how many bytes that a run has written to may stay in memory while its sandbox is idle, so that
	// the next run causes no page faults. If it has written to more, none of them stay. Other images have 1,600 KiB,
	// and so has this one if that is more.
	IdleMemory uint64
	// Begin is called when the image is made. It returns the files that the guest sees then, in which nothing of a
	// project may be, and a function that prepares an instance, which is in the state of the first image. That runs no
	// code but the guest's own.
	Begin func() (files afero.Fs, do func(in *Instance, r *Run) error, err error)
}

// Prepared returns the image of a preparation, which is made if neither the engine nor the cache directory has it. That
// goes on to its end, whatever becomes of the caller's run. A preparation that has failed is not tried again.
//
// Like those of [Program.Keep], the image is kept until others need the room.
func (p *Program) Prepared(how *Preparation) (*Image, error) {
	key := sha256.Sum256([]byte("prepared\x00" + how.Name))
	if image := p.Kept(key); image != nil {
		return image, nil
	}
	p.preparing.Lock()
	defer p.preparing.Unlock()
	if image := p.Kept(key); image != nil {
		return image, nil
	}
	if err := p.unprepared[how.Name]; err != nil {
		return nil, err
	}
	if err := p.engine.enter(); err != nil {
		return nil, err
	}
	defer p.engine.runs.Done()
	image, err := p.prepared(how)
	if err == nil {
		image.idleMemory = how.IdleMemory
	}
	if err == nil && image.memory.Bytes() > p.ImageRoom() {
		image.memory.Close()
		err = errors.New("runtime: there is no room for the image")
	}
	if err != nil {
		if p.unprepared == nil {
			p.unprepared = map[string]error{}
		}
		p.unprepared[how.Name] = err
		return nil, err
	}
	p.Keep(key, image, 0)
	return image, nil
}

// prepared takes an image from the cache directory, or makes it and keeps it there. Errors of the directory are no
// reason to have no image.
func (p *Program) prepared(how *Preparation) (*Image, error) {
	if p.imagesDir == "" {
		return p.makePrepared(how)
	}
	open := func() (*cachedir.Entry, error) {
		return cachedir.Open(p.imagesDir, preparedKind, sha256.Sum256(append(p.imagesKey[:], how.Name...)))
	}
	entry, cacheErr := open()
	if cacheErr == nil && entry.Found() {
		image, err := p.tryImage(entry, how.Memory)
		if err == nil {
			return image, nil
		}
		entry, cacheErr = open() // it was damaged, and has been removed
	}
	if cacheErr == nil {
		defer func() { entry.Close() }()
	}
	image, err := p.makePrepared(how)
	if err != nil {
		return nil, err
	}
	if cacheErr == nil && !entry.Found() {
		if cacheErr = image.save(entry); cacheErr == nil {
			cacheErr = entry.Publish()
		}
		if entry.Found() {
			if kept, err := p.tryImage(entry, how.Memory); err == nil { // which this process shares with others
				image.memory.Close()
				return kept, nil
			}
		}
	}
	if cacheErr != nil && p.engine.cacheFailed != nil {
		p.engine.cacheFailed(cacheError(cacheErr))
	}
	return image, nil
}

// tryImage loads an image from an entry, and starts a sandbox from it. If that fails, the entry is removed.
func (p *Program) tryImage(entry *cachedir.Entry, memory int64) (*Image, error) {
	image, err := p.loadImage(entry)
	if err != nil {
		return nil, errors.Join(err, entry.Damaged())
	}
	in, err := p.engine.pool.get(image, memory)
	if err != nil {
		image.memory.Close()
		return nil, errors.Join(err, entry.Damaged())
	}
	p.engine.pool.put(in)
	return image, nil
}

// makePrepared makes an image in a sandbox of its own, in no run of anybody.
func (p *Program) makePrepared(how *Preparation) (*Image, error) {
	limits, err := Limits{Memory: how.Memory}.withDefaults()
	if err != nil {
		return nil, err
	}
	files, do, err := how.Begin()
	if err != nil {
		return nil, err
	}
	r := newRun(context.Background(), p, RunOptions{Limits: limits, Args: p.guest.Args, Env: p.guest.Env, Files: files})
	defer r.finish()
	in, err := p.newSandbox(limits.Memory)
	if err != nil {
		return nil, err
	}
	defer in.close()
	// As in Program.verify, the clock stands still, and there is no image that a run has started from.
	in.session, in.image = session{run: r}, nil
	in.memory.SetLimit(uint64(limits.Memory))
	in.fuel.Set(0)
	err = do(in, r)
	if err = errors.Join(err, in.CloseFiles()); err != nil {
		return nil, fmt.Errorf("runtime: making the image %q: %w", how.Name, err)
	}
	in.image = p.base // so that the work is counted
	return in.Capture()
}
