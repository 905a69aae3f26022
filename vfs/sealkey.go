package vfs

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
)

// SealKeySize is the size in bytes of the key of [SealKey].
const SealKeySize = 32

// SealKey returns the secret of a store with which programs seal what they keep with its projects and must recognise as
// their own, such as states of sessions. It is made when it is first asked for, and the same in all processes that use
// the store.
func SealKey(ctx context.Context, store RecordStore) ([]byte, error) {
	records := store.Records("keys")
	const name = "seal"
	key, err := records.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		made := make([]byte, SealKeySize)
		if _, err := rand.Read(made); err != nil {
			return nil, err
		}
		err = records.Change(ctx, name, 0, func(there []byte) ([]byte, error) {
			if key = made; there != nil { // somebody else was faster
				key = append([]byte(nil), there...)
			}
			return key, nil
		})
	}
	if err == nil && len(key) != SealKeySize {
		err = fmt.Errorf("the key has %d bytes instead of %d", len(key), SealKeySize)
	}
	if err != nil {
		return nil, fmt.Errorf("the store's key: %w", err)
	}
	return key, nil
}

// StateKey derives the key with which a state of a project is sealed from the secret of its store, which [SealKey]
// returns. So the state of another project, session or tool is no state in its place, whoever has put it there.
func StateKey(secret []byte, project string, id StateID) []byte {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "session\n%s\n%s\n%s", project, id.Tool, id.Session)
	return mac.Sum(nil)
}
