-- Whether everyone in the organization needs a second factor, or a passkey, to sign in with a password.
alter table organizations add column second_factor text not null default 'optional';

-- A session that can do nothing but set up the second factor its organization asks for.
alter table sessions add column enrolling integer not null default 0;

create table passwords (
  user_id text primary key references users (id),
  hash text not null,
  changed_at text not null
) /* sqlite: without rowid */;

create table passkeys (
  id text primary key,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  label text not null,
  synced integer not null,
  created_at text not null,
  last_used_at text
) /* sqlite: without rowid */;

create index passkeys_user on passkeys (user_id, id);

-- An app that shows one-time codes: the one that counts is confirmed, another may be on its way to take its place.
create table code_generators (
  id text primary key,
  user_id text not null references users (id),
  organization_id text not null,
  sealed text not null,
  data_key_id text not null references data_keys (id),
  confirmed_at text,
  last_step integer not null,
  created_at text not null
) /* sqlite: without rowid */;

create unique index code_generators_confirmed on code_generators (user_id) where confirmed_at is not null;
create unique index code_generators_pending on code_generators (user_id) where confirmed_at is null;
create index code_generators_key on code_generators (data_key_id);

create table recovery_codes (
  user_id text not null references users (id),
  hash text not null,
  used_at text,
  primary key (user_id, hash)
) /* sqlite: without rowid */;

-- What is asked once and answered once: the challenge of a passkey, the second half of a sign-in, the link in a mail, a
-- sign-up that waits for the code from a mail. Found by the hash of a text that only the person holds.
create table challenges (
  hash text primary key,
  kind text not null,
  user_id text references users (id),
  details text not null,
  tries_left integer not null,
  created_at text not null,
  expires_at text not null
) /* sqlite: without rowid */;

create index challenges_user on challenges (user_id, kind);
create index challenges_age on challenges (expires_at);
