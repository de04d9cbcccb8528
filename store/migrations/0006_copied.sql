-- additive
-- Which session a file shows its session to be a fork of. Of several files the
-- last one by rank counts, whichever was read last.
ALTER TABLE import_session_files ADD COLUMN copied_from TEXT;
