-- Calls that write leads note each of their keys, so a key has a row for each call of a day: whether one was settled just now.
create index write_intents_by_subject on write_intents (subject, settled_at);
