-- Which master key wraps new data keys. One row: nodes that know several keys agree on it, and a rotation changes it here.
create table master_key (
  id text primary key,
  key_id text not null,
  changed_at text not null
) /* sqlite: without rowid */;

-- The key of one organization's secrets, wrapped by the master key. A retired one opens what it sealed, and seals nothing.
create table data_keys (
  id text primary key,
  organization_id text not null references organizations (id),
  master_key_id text not null,
  wrapped text not null,
  created_at text not null,
  retired_at text
) /* sqlite: without rowid */;

create unique index data_keys_current on data_keys (organization_id) where retired_at is null;
create index data_keys_master on data_keys (master_key_id, id);

create table connections (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  system text not null,
  instance text not null,
  addresses text not null,
  label text not null,
  state text not null,
  state_reason text,
  identity text not null,
  access_level text,
  scopes text not null,
  way_in text not null,
  policy text,
  settings text not null,
  -- Grant and token together, sealed: whatever changes one of them seals both anew.
  sealed text,
  data_key_id text,
  token_generation integer not null,
  token_refresh_at text,
  token_expires_at text,
  lease_owner text,
  lease_until text,
  lease_fence integer not null,
  checked_at text,
  next_check_at text,
  check_ok integer,
  check_reason text,
  -- Grows with every change that a reader could see, so that what was read before is known to be still true.
  revision integer not null,
  created_by text,
  created_at text not null,
  updated_at text not null,
  -- When it was connected last: who reports a lost grant means the one of then.
  granted_at text not null
) /* sqlite: without rowid */;

create index connections_project on connections (project_id, id);
create index connections_check on connections (next_check_at) where state = 'connected';
create index connections_data_key on connections (data_key_id) where data_key_id is not null;

-- A sign-in that was begun in a pop-up. What comes back names it by a random text, of which only the hash is kept.
create table connects (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  user_id text not null,
  key_id text not null,
  system text not null,
  instance text not null,
  addresses text not null,
  label text,
  connection_id text,
  sealed text,
  data_key_id text,
  state text not null,
  problem text,
  created_at text not null,
  expires_at text not null
) /* sqlite: without rowid */;

create index connects_age on connects (expires_at);
create index connects_data_key on connects (data_key_id) where data_key_id is not null;
