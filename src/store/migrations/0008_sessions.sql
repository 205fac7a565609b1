-- A person signs in; a service user only has keys. `removed_at` is what stays of an account that its directory has deleted.
alter table users add column kind text not null default 'person';
alter table users add column name text not null default '';
alter table users add column email_verified_at text;
alter table users add column removed_at text;

-- The people of an organization, page by page.
create index users_organization on users (organization_id, kind, id);

-- The expiry that a key was made with ('never' without one), where a successor has brought its end forward.
alter table api_keys add column given_expiry text;

create table sessions (
  id text primary key,
  user_id text not null references users (id),
  hash text not null unique,
  method text not null,
  created_at text not null,
  last_seen_at text not null,
  confirmed_at text not null,
  expires_at text not null,
  revoked_at text,
  ip text,
  user_agent text not null
) /* sqlite: without rowid */;

create index sessions_user on sessions (user_id, id);
create index sessions_age on sessions (expires_at);
