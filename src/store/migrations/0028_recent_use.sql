-- How much of each limit was used, in steps of five minutes, for a day. `used` is the last measure of the step and holds until
-- `resets_at`; `peak` is its largest. Samples are taken in the background, never by a call.
create table limit_history (
  subject text not null,
  name text not null,
  at text not null,
  peak bigint not null,
  used bigint not null,
  max bigint,
  resets_at text,
  primary key (subject, name, at)
) /* sqlite: without rowid */;

create index limit_history_at on limit_history (at);

-- The last requests of each directory, so that an owner sees what the identity provider sends and why it was refused.
create table directory_requests (
  id text primary key,
  directory_id text not null,
  token_id text not null,
  method text not null,
  path text not null,
  status integer not null,
  problem text,
  ip text,
  at text not null
) /* sqlite: without rowid */;

create index directory_requests_newest on directory_requests (directory_id, id);
