-- Parts of contents can lie in object storage.

ALTER TABLE part ADD COLUMN object text COLLATE "C"; -- the object that has the data, which is empty here then
CREATE INDEX part_object ON part (object) WHERE object IS NOT NULL;

-- Objects that no part names: those that are being written for a transaction, and those that are to be removed (dead).
CREATE TABLE object (
	name text COLLATE "C" PRIMARY KEY,
	at   timestamptz NOT NULL DEFAULT now(),     -- since when
	dead boolean NOT NULL
);
CREATE INDEX object_at ON object (at);

-- One row, which says whose objects they are.
CREATE TABLE storage (
	id      text NOT NULL,                       -- of this database, also in the object storage
	objects boolean NOT NULL                     -- whether there are any
);
INSERT INTO storage VALUES (gen_random_uuid(), false);
