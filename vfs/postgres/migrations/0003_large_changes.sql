-- What a large transaction has done takes time in proportion to its size: looking up one element of an array of texts takes
-- time in proportion to its number, so those are gone through in order instead.

CREATE OR REPLACE FUNCTION apply(
	of_project bigint,
	used bytea[], times bigint[],                -- parts that are used more often or less often than before
	removed bigint[],                            -- entries
	made boolean[], inos bigint[], dirs bigint[], names text[], foldeds text[], modes integer[], sizes bigint[],
	secs bigint[], nsecs integer[], contents bytea[],
	touched bigint[], touched_sec bigint[], touched_nsec integer[],
	dropped bigint,                              -- the number up to which changes are removed
	voids bigint[],                              -- numbers of changes that have not happened
	numbers bigint[], ats timestamptz[], calls text[], ops text[], paths text[], datas text[],
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
		INSERT INTO change (project, number, at, call, op, path, data)
			SELECT of_project, u.number, u.at, u.call, u.op, u.path, u.data
			FROM unnest(numbers, ats, calls, ops, paths, datas) AS u(number, at, call, op, path, data)
			ON CONFLICT (project, number) DO UPDATE SET at = excluded.at, call = excluded.call, op = excluded.op,
			path = excluded.path, data = excluded.data;
	ELSE
		FOR i IN 1 .. coalesce(cardinality(numbers), 0) LOOP
			INSERT INTO change (project, number, at, call, op, path, data)
				VALUES (of_project, numbers[i], ats[i], calls[i], ops[i], paths[i], datas[i])
				ON CONFLICT (project, number) DO UPDATE SET at = excluded.at, call = excluded.call, op = excluded.op,
				path = excluded.path, data = excluded.data;
		END LOOP;
	END IF;
	UPDATE project SET version = version + 1, tokens[token_at] = token, bytes = new_bytes, files = new_files,
		kept = new_kept, oldest = new_oldest, next = new_next, ino = new_ino WHERE key = of_project;
END
$$;
