-- What is known of the limits of each external account, property or group: one short row, written with every call that
-- has a limit. `low` marks those of which a system told that little is left, so that every node reads them.
create table limit_states (
  subject text primary key,
  state text not null,
  low integer not null
) /* sqlite: without rowid */;

create index limit_states_low on limit_states (subject) where low = 1;

-- Whose connections have met which limits: a project sees those of its own.
create table limit_uses (
  project_id text not null,
  connection_id text not null,
  subject text not null,
  primary key (project_id, connection_id, subject)
) /* sqlite: without rowid */;

-- Who has waited for more than a moment, in which process; until then the process has to say so again.
create table limit_waiters (
  process text not null,
  subject text not null,
  waiting text not null,
  until text not null,
  primary key (process, subject)
) /* sqlite: without rowid */;

create index limit_waiters_subject on limit_waiters (subject);
