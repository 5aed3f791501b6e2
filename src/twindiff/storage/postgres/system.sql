-- What every database of ours holds besides the twins' own tables. Run as the owner; running it again changes nothing.

CREATE TABLE IF NOT EXISTS twindiff.standings (
    env text COLLATE "C" PRIMARY KEY,
    origin text NOT NULL,
    mode text NOT NULL,
    seq bigint NOT NULL,
    clock bigint NOT NULL,
    at bigint NOT NULL,
    counters text NOT NULL,
    parent text COLLATE "C",
    born bigint NOT NULL DEFAULT 0,
    forgotten boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
-- No later than the time of any work that falls due; 0 when the rows have to be looked at, and the largest number when
-- there is never any work.
ALTER TABLE twindiff.standings ADD COLUMN IF NOT EXISTS due bigint NOT NULL DEFAULT 0;
-- What its operations have written, about as long as its part of the journal.
ALTER TABLE twindiff.standings ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS standings_parent ON twindiff.standings (parent) WHERE parent IS NOT NULL;

-- A record with an lsn came in the order of commits, so that of those before it none can come any more. One without was
-- numbered when it arrived, or was there before its environment.
CREATE TABLE IF NOT EXISTS twindiff.journal (
    env text COLLATE "C" NOT NULL, seq bigint NOT NULL, lsn pg_lsn, record bytea NOT NULL, PRIMARY KEY (env, seq)
);

-- How far the write-ahead log is in the journal for certain; one row, up to a second behind the journal itself.
CREATE TABLE IF NOT EXISTS twindiff.progress (slot text COLLATE "C" PRIMARY KEY, lsn pg_lsn NOT NULL);

CREATE TABLE IF NOT EXISTS twindiff.templates (
    twin text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, schema_hash text NOT NULL, counters text NOT NULL,
    PRIMARY KEY (twin, hash)
);

-- Environments copied ahead, not yet anybody's.
CREATE TABLE IF NOT EXISTS twindiff.ready (
    env text COLLATE "C" PRIMARY KEY, recipe text COLLATE "C" NOT NULL, taken timestamptz
);
CREATE INDEX IF NOT EXISTS ready_recipe ON twindiff.ready (recipe) WHERE taken IS NULL;

-- Environments whose rows are still to be removed.
CREATE TABLE IF NOT EXISTS twindiff.leftovers (
    env text COLLATE "C" PRIMARY KEY, lsn pg_lsn NOT NULL DEFAULT pg_current_wal_insert_lsn()
);

-- Bytes too large for rows, by their SHA-256.
CREATE TABLE IF NOT EXISTS twindiff.blobs (digest text COLLATE "C" PRIMARY KEY, data bytea NOT NULL);
ALTER TABLE twindiff.blobs ALTER COLUMN data SET STORAGE EXTERNAL;

-- What the tables of each twin look like, and what they looked like where the journal ends: the drainer follows.
CREATE TABLE IF NOT EXISTS twindiff.shapes (
    twin text COLLATE "C" PRIMARY KEY, schema_hash text NOT NULL, shape text NOT NULL
);
ALTER TABLE twindiff.shapes ADD COLUMN IF NOT EXISTS drained text;
UPDATE twindiff.shapes SET drained = shape WHERE drained IS NULL;

CREATE OR REPLACE FUNCTION twindiff.lock_of(environment text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN hashtextextended(environment, 0);

-- Begin an operation that writes: alone in its environment from here to the end of the transaction.
DROP FUNCTION IF EXISTS twindiff.begin_write(text, text);
CREATE FUNCTION twindiff.begin_write(environment text, operation text)
RETURNS TABLE (mode text, clock bigint, at bigint, counters text, due bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.env_id', environment, true), set_config('app.operation', operation, true);
    PERFORM pg_advisory_xact_lock(twindiff.lock_of(environment));
    PERFORM set_config('statement_timeout', '2000', true);
    RETURN QUERY SELECT s.mode, s.clock, s.at, s.counters, s.due FROM twindiff.standings s
        WHERE s.env = environment AND NOT s.forgotten;
END $$;

DROP FUNCTION IF EXISTS twindiff.begin_read(text);
CREATE FUNCTION twindiff.begin_read(environment text)
RETURNS TABLE (mode text, clock bigint, at bigint, counters text, due bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.env_id', environment, true), set_config('statement_timeout', '2000', true);
    RETURN QUERY SELECT s.mode, s.clock, s.at, s.counters, s.due FROM twindiff.standings s
        WHERE s.env = environment AND NOT s.forgotten;
END $$;

-- Number an operation and say in the write-ahead log what it was; `meta` is the inside of a JSON array, `events` one.
DROP FUNCTION IF EXISTS twindiff.finish_write(text, text, bigint, bigint, text);
DROP FUNCTION IF EXISTS twindiff.finish_write(text, text, bigint, bigint, text, text);
CREATE OR REPLACE FUNCTION twindiff.finish_write(
    environment text, meta text, new_clock bigint, new_at bigint, new_counters text, events text DEFAULT '[]',
    size bigint DEFAULT 0
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
BEGIN
    UPDATE twindiff.standings
        SET seq = seq + 1, clock = new_clock, at = new_at, counters = new_counters, bytes = bytes + size
        WHERE env = environment RETURNING seq INTO number;
    PERFORM pg_logical_emit_message(
        true, 'twindiff',
        '["' || environment || '",' || number || ',' || meta || ',' || new_at || ',' || new_clock || ',' || new_counters
            || ',' || events || ']'
    );
    RETURN number;
END $$;

-- Forget an environment, and then those of its ancestors that were kept for it alone; what is left of them is removed
-- in the background. With the lock held, no fork can begin here; environments are forgotten one at a time, so that of two
-- that are kept for each other the later one sees that the other is gone.
CREATE OR REPLACE FUNCTION twindiff.forget(environment text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    current text := environment;
    before text;
BEGIN
    PERFORM pg_advisory_xact_lock(twindiff.lock_of(environment));
    PERFORM pg_advisory_xact_lock(hashtext('twindiff forget'), 0);
    UPDATE twindiff.standings SET forgotten = true
        WHERE env = environment AND EXISTS (SELECT 1 FROM twindiff.standings c WHERE c.parent = environment);
    INSERT INTO twindiff.leftovers (env) VALUES (environment) ON CONFLICT DO NOTHING;
    LOOP
        DELETE FROM twindiff.standings s WHERE s.env = current AND (s.forgotten OR s.env = environment)
            AND NOT EXISTS (SELECT 1 FROM twindiff.standings c WHERE c.parent = current) RETURNING s.parent INTO before;
        EXIT WHEN NOT FOUND OR before IS NULL;
        INSERT INTO twindiff.leftovers (env) VALUES (current) ON CONFLICT DO NOTHING;
        current := before;
    END LOOP;
END $$;

-- Number what is written by hand, by psql or a migration: no operation of ours is under way there.
CREATE OR REPLACE FUNCTION twindiff.number_external() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    twin constant text := substr(TG_TABLE_SCHEMA, 6);
    numbered text := coalesce(current_setting('app.numbered', true), '');
    environment text;
    place text;
    standing twindiff.standings;
    wall bigint;
BEGIN
    IF TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW THEN
        RETURN NEW;
    END IF;
    FOREACH environment IN ARRAY CASE TG_OP
        WHEN 'INSERT' THEN ARRAY[NEW.env_id] WHEN 'DELETE' THEN ARRAY[OLD.env_id] ELSE ARRAY[OLD.env_id, NEW.env_id] END
    LOOP
        place := twin || ' ' || environment || ';';
        CONTINUE WHEN strpos(numbered, place) > 0;
        numbered := numbered || place;
        PERFORM pg_advisory_xact_lock(twindiff.lock_of(environment));
        SELECT * INTO standing FROM twindiff.standings s WHERE s.env = environment AND NOT s.forgotten;
        CONTINUE WHEN NOT FOUND;
        wall := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
        PERFORM twindiff.finish_write(
            environment, '"' || twin || '","external",' || to_json(session_user::text),
            CASE standing.mode WHEN 'real' THEN wall + greatest(0, standing.clock - standing.at)
                WHEN 'offset' THEN standing.clock + wall - standing.at
                WHEN 'steps' THEN standing.clock + 1000000 ELSE standing.clock END,
            wall, standing.counters
        );
        UPDATE twindiff.standings s SET due = 0 WHERE s.env = environment AND s.due < 9223372036854775807;
    END LOOP;
    PERFORM set_config('app.numbered', numbered, true);
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE OR REPLACE FUNCTION twindiff.refuse_truncate() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'TRUNCATE would empty every environment; delete the rows of one: DELETE FROM %.% WHERE env_id = …',
        TG_TABLE_SCHEMA, TG_TABLE_NAME;
END $$;
