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
