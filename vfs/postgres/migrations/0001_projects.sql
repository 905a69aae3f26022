-- Projects with their files, contents and history, and records beside them.

CREATE TABLE project (
	key     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id      text COLLATE "C" NOT NULL,
	folded  text COLLATE "C" NOT NULL,           -- ids that differ in case only conflict
	status  smallint NOT NULL DEFAULT 0,         -- 0 in use, 1 discarded, 2 deleted
	removed timestamptz,                         -- when it was discarded or deleted
	version bigint NOT NULL DEFAULT 0,           -- how many transactions have changed it
	tokens  bigint[] NOT NULL DEFAULT '{}',      -- of the last transactions, by version modulo 64
	bytes   bigint NOT NULL DEFAULT 0,           -- of all files
	files   bigint NOT NULL DEFAULT 0,           -- and directories
	kept    bigint NOT NULL DEFAULT 0,           -- what the history's limit counts
	oldest  bigint NOT NULL DEFAULT 1,           -- number of the oldest change
	next    bigint NOT NULL DEFAULT 1,           -- number of the next change
	ino     bigint NOT NULL DEFAULT 16           -- number of the next entry
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX project_id ON project (id) WHERE status = 0;
CREATE UNIQUE INDEX project_folded ON project (folded) WHERE status = 0;
CREATE INDEX project_removed ON project (removed) WHERE status <> 0;

-- A file or a directory. Entry 1 is the root, and 2, 3 and 4 stand for what is the project's own, its history and
-- temporary files; they have no rows.
CREATE TABLE entry (
	project bigint NOT NULL,
	ino     bigint NOT NULL,
	dir     bigint NOT NULL,                     -- the entry of the directory that it is in
	name    text COLLATE "C" NOT NULL,
	folded  text COLLATE "C" NOT NULL,           -- names that differ in case or Unicode form only conflict
	mode    integer NOT NULL,                    -- permissions, and 16384 for a directory
	size    bigint NOT NULL,
	sec     bigint NOT NULL,                     -- when it was changed, since 1970
	nsec    integer NOT NULL,
	parts   bytea NOT NULL,                      -- the digests of the content's parts, 32 bytes each
	PRIMARY KEY (project, ino),
	CONSTRAINT entry_name UNIQUE (project, dir, folded) DEFERRABLE INITIALLY DEFERRED
) WITH (fillfactor = 80);

-- At most 1 MiB of the content of files, which those of one project share.
CREATE TABLE part (
	project bigint NOT NULL,
	digest  bytea NOT NULL,                      -- SHA-256
	refs    bigint NOT NULL,                     -- how often entries of the project name it
	unused  timestamptz,                         -- since when none does
	data    bytea NOT NULL,
	PRIMARY KEY (project, digest)
) WITH (fillfactor = 80);
ALTER TABLE part ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX part_unused ON part (unused) WHERE unused IS NOT NULL;

CREATE TABLE change (
	project bigint NOT NULL,
	number  bigint NOT NULL,
	at      timestamptz NOT NULL,
	call    text COLLATE "C" NOT NULL,
	unit    text COLLATE "C" NOT NULL,           -- the call, or # and the number of the change, that it undoes or redoes
	op      text NOT NULL,
	path    text COLLATE "C" NOT NULL,
	data    text COLLATE "C" NOT NULL,           -- all of it, as JSON
	PRIMARY KEY (project, number)
);
CREATE INDEX change_call ON change (project, call) WHERE call <> '';
CREATE INDEX change_unit ON change (project, unit) WHERE unit <> '';

CREATE TABLE record (
	kind  text COLLATE "C" NOT NULL,
	name  text COLLATE "C" NOT NULL,
	data  bytea NOT NULL,
	until timestamptz,
	PRIMARY KEY (kind, name)
);
ALTER TABLE record ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX record_until ON record (until) WHERE until IS NOT NULL;

-- The entries at a path, one directory after the other, as far as they are there. One statement with a recursive query
-- would be planned anew for tables of each size, and sometimes badly.
CREATE FUNCTION walk(of_project bigint, start bigint, path text[]) RETURNS SETOF entry
LANGUAGE plpgsql STABLE AS $$
DECLARE
	found_entry entry;
	at_dir bigint := start;
	part_of_path text;
BEGIN
	FOREACH part_of_path IN ARRAY path LOOP
		SELECT * INTO found_entry FROM entry e
			WHERE e.project = of_project AND e.dir = at_dir AND e.folded = part_of_path;
		IF NOT FOUND THEN
			RETURN;
		END IF;
		RETURN NEXT found_entry;
		at_dir := found_entry.ino;
	END LOOP;
END
$$;

-- What a transaction has done to a project, whose row it has locked. Each row is looked up by its key: how a join is planned
-- depends on what the planner believes about the sizes of tables. Where there are many, they are gone through in order:
-- looking up one element of an array of texts takes time in proportion to its number.
CREATE FUNCTION apply(
	of_project bigint,
	used bytea[], times bigint[],                -- parts that are used more often or less often than before
	removed bigint[],                            -- entries
	made boolean[], inos bigint[], dirs bigint[], names text[], foldeds text[], modes integer[], sizes bigint[],
	secs bigint[], nsecs integer[], contents bytea[],
	touched bigint[], touched_sec bigint[], touched_nsec integer[],
	dropped bigint,                              -- the number up to which changes are removed
	voids bigint[],                              -- numbers of changes that have not happened
	numbers bigint[], ats timestamptz[], calls text[], units text[], ops text[], paths text[], datas text[],
	token_at integer, token bigint,
	new_bytes bigint, new_files bigint, new_kept bigint, new_oldest bigint, new_next bigint, new_ino bigint
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	large CONSTANT integer := 64;
	r record;
BEGIN
	IF cardinality(used) > large THEN
		FOR r IN SELECT u.digest, u.n FROM unnest(used, times) AS u(digest, n) LOOP
			UPDATE part SET refs = refs + r.n, unused = CASE WHEN refs + r.n = 0 THEN now() END
				WHERE project = of_project AND digest = r.digest;
			IF NOT FOUND THEN
				RAISE EXCEPTION 'a part is missing' USING ERRCODE = 'TRPRT';
			END IF;
		END LOOP;
	ELSE
		FOR i IN 1 .. coalesce(cardinality(used), 0) LOOP
			UPDATE part SET refs = refs + times[i], unused = CASE WHEN refs + times[i] = 0 THEN now() END
				WHERE project = of_project AND digest = used[i];
			IF NOT FOUND THEN
				RAISE EXCEPTION 'a part is missing' USING ERRCODE = 'TRPRT';
			END IF;
		END LOOP;
	END IF;
	FOR i IN 1 .. coalesce(cardinality(removed), 0) LOOP
		DELETE FROM entry WHERE project = of_project AND ino = removed[i];
	END LOOP;
	IF cardinality(inos) > large THEN
		INSERT INTO entry (project, ino, dir, name, folded, mode, size, sec, nsec, parts)
			SELECT of_project, u.ino, u.dir, u.name, u.folded, u.mode, u.size, u.sec, u.nsec, u.parts
			FROM unnest(made, inos, dirs, names, foldeds, modes, sizes, secs, nsecs, contents)
				AS u(made, ino, dir, name, folded, mode, size, sec, nsec, parts) WHERE u.made;
		FOR r IN SELECT * FROM unnest(made, inos, dirs, names, foldeds, modes, sizes, secs, nsecs, contents)
				AS u(made, ino, dir, name, folded, mode, size, sec, nsec, parts) WHERE NOT u.made LOOP
			UPDATE entry SET dir = r.dir, name = r.name, folded = r.folded, mode = r.mode, size = r.size, sec = r.sec,
				nsec = r.nsec, parts = r.parts WHERE project = of_project AND ino = r.ino;
		END LOOP;
	ELSE
		FOR i IN 1 .. coalesce(cardinality(inos), 0) LOOP
			IF made[i] THEN
				INSERT INTO entry (project, ino, dir, name, folded, mode, size, sec, nsec, parts)
					VALUES (of_project, inos[i], dirs[i], names[i], foldeds[i], modes[i], sizes[i], secs[i], nsecs[i], contents[i]);
			ELSE
				UPDATE entry SET dir = dirs[i], name = names[i], folded = foldeds[i], mode = modes[i], size = sizes[i],
					sec = secs[i], nsec = nsecs[i], parts = contents[i] WHERE project = of_project AND ino = inos[i];
			END IF;
		END LOOP;
	END IF;
	FOR i IN 1 .. coalesce(cardinality(touched), 0) LOOP
		UPDATE entry SET sec = touched_sec[i], nsec = touched_nsec[i] WHERE project = of_project AND ino = touched[i];
	END LOOP;
	IF dropped > 0 THEN
		DELETE FROM change WHERE project = of_project AND number <= dropped;
	END IF;
	FOR i IN 1 .. coalesce(cardinality(voids), 0) LOOP
		DELETE FROM change WHERE project = of_project AND number = voids[i];
	END LOOP;
	IF cardinality(numbers) > large THEN
		INSERT INTO change (project, number, at, call, unit, op, path, data)
			SELECT of_project, u.number, u.at, u.call, u.unit, u.op, u.path, u.data
			FROM unnest(numbers, ats, calls, units, ops, paths, datas)
				AS u(number, at, call, unit, op, path, data)
			ON CONFLICT (project, number) DO UPDATE SET at = excluded.at, call = excluded.call, unit = excluded.unit, op = excluded.op,
			path = excluded.path, data = excluded.data;
	ELSE
		FOR i IN 1 .. coalesce(cardinality(numbers), 0) LOOP
			INSERT INTO change (project, number, at, call, unit, op, path, data)
				VALUES (of_project, numbers[i], ats[i], calls[i], units[i], ops[i], paths[i], datas[i])
				ON CONFLICT (project, number) DO UPDATE SET at = excluded.at, call = excluded.call, unit = excluded.unit, op = excluded.op,
				path = excluded.path, data = excluded.data;
		END LOOP;
	END IF;
	UPDATE project SET version = version + 1, tokens[token_at] = token, bytes = new_bytes, files = new_files,
		kept = new_kept, oldest = new_oldest, next = new_next, ino = new_ino WHERE key = of_project;
END
$$;
