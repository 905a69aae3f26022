package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Migrations are files named NUMBER_WHAT.sql with consecutive numbers from 1 on. One that has been released is never
// changed: what it did wrong is put right by another one.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock keeps others from applying migrations meanwhile. It is the same number in all versions.
const migrationLock = 0x746f6f6c72756e // "toolrun"

// A NewerSchemaError means that the database has been used by a newer version of toolrun.
type NewerSchemaError struct {
	// Schema is the number of the database's last migration, and Known that of the last one that this version has.
	Schema, Known int
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("the database has schema %d, and this version of toolrun knows schemas up to %d: "+
		"use a newer one", e.Schema, e.Known)
}

// migrationFiles returns the texts of all migrations, in order.
func migrationFiles() ([]string, error) {
	entries, err := fs.ReadDir(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, entry := range entries { // sorted by name
		digits, _, _ := strings.Cut(entry.Name(), "_")
		if number, err := strconv.Atoi(digits); err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", entry.Name(), i+1)
		}
		text, err := migrations.ReadFile("migrations/" + entry.Name())
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// migrate brings the schema up to date.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	texts, err := migrationFiles()
	if err != nil {
		return err
	}
	// Most of the time there is nothing to do, and whoever opens a store need not be allowed to change the schema.
	if at, err := schemaOf(ctx, conn); err == nil && at >= len(texts) {
		return checkSchema(at, len(texts))
	} else if err != nil && !isMissing(err) {
		return err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY, "+
		"applied timestamptz NOT NULL DEFAULT now())"); err != nil {
		return err
	}
	at, err := schemaOf(ctx, tx)
	if err != nil {
		return err
	}
	if err := checkSchema(at, len(texts)); err != nil {
		return err
	}
	for number := at + 1; number <= len(texts); number++ {
		if _, err := tx.Exec(ctx, texts[number-1]); err != nil {
			return fmt.Errorf("migration %d: %w", number, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO migration (number) VALUES ($1)", number); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

func checkSchema(at, known int) error {
	if at > known {
		return &NewerSchemaError{Schema: at, Known: known}
	}
	return nil
}

// schemaOf returns the number of the last migration.
func schemaOf(ctx context.Context, q querier) (number int, err error) {
	err = q.QueryRow(ctx, "SELECT coalesce(max(number), 0) FROM migration").Scan(&number)
	return number, err
}

// isMissing reports whether an error means that a table is not there.
func isMissing(err error) bool {
	pe, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pe.Code == "42P01"
}
