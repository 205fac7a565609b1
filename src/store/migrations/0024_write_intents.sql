-- Writes that a look finds by their name, and by nothing that is theirs alone: while one is open, and for a while after, a record of that name
-- may be its doing. The name stands here as a hash, with the system and its address.
create table write_intents (
  subject text not null,
  intent_id text not null,
  sent_at text not null,
  settled_at text,
  primary key (subject, intent_id)
);
create index write_intents_by_intent on write_intents (intent_id);
create index write_intents_settled on write_intents (settled_at) where settled_at is not null;
