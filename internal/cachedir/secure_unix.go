//go:build unix

package cachedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// secure makes the missing part of a cache directory, checks that no other user can change its content, and returns
// its path without links. Only that path is used from then on, so later changes to the links do not matter.
func secure(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	existing, missing, err := resolve(abs)
	if err != nil {
		return "", err
	}
	if missing == "" {
		return existing, checkPath(existing, true)
	}
	if err := checkPath(existing, false); err != nil { // before anything is made there
		return "", err
	}
	dir = filepath.Join(existing, missing)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, checkPath(dir, true)
}

// resolve splits an absolute path into the existing part, with links resolved, and the rest.
func resolve(path string) (existing, missing string, err error) {
	for {
		existing, err = filepath.EvalSymlinks(path)
		if err == nil {
			return existing, missing, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("%s: %w", path, err)
		}
		if _, err := os.Lstat(path); err == nil {
			return "", "", fmt.Errorf("%s is a link to something that does not exist", path)
		}
		above := filepath.Dir(path)
		if above == path {
			return "", "", err
		}
		path, missing = above, filepath.Join(filepath.Base(path), missing)
	}
}

// checkPath checks a directory and all directories above it. If own is set, the directory must belong to the user.
func checkPath(path string, own bool) error {
	for {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", path)
		}
		check := checkAbove
		if own {
			check = checkOwn
		}
		if err := check(path, info); err != nil {
			return err
		}
		above := filepath.Dir(path)
		if above == path {
			return nil
		}
		path, own = above, false
	}
}

const writableByOthers = 0o022

// checkOwn refuses a file that belongs to another user, or that others can write to.
func checkOwn(path string, info fs.FileInfo) error {
	if !ownedBy(info, os.Geteuid()) {
		return fmt.Errorf("%s belongs to another user: use a cache directory of your own", path)
	}
	if info.Mode().Perm()&writableByOthers != 0 {
		return fmt.Errorf("%s can be written by other users: remove it, since they may have changed it, "+
			"or use another cache directory", path)
	}
	return nil
}

// checkAbove refuses a directory whose content another user could replace.
func checkAbove(path string, info fs.FileInfo) error {
	if !ownedBy(info, os.Geteuid(), 0) {
		return fmt.Errorf("%s belongs to another user, who can replace what is in it: "+
			"use a cache directory that is not below it", path)
	}
	if info.Mode().Perm()&writableByOthers != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("%s can be written by other users, who can replace what is in it: "+
			"take that from them (chmod go-w %[1]s), or use a cache directory that is not below it", path)
	}
	return nil
}

func ownedBy(info fs.FileInfo, users ...int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	for _, user := range users {
		if ok && int(stat.Uid) == user {
			return true
		}
	}
	return false
}
