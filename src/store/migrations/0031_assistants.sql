-- What people allow their assistants: one project, perhaps only some tools, perhaps only reading. A grant begins as a code that is used
-- once. Then its API key is the access token, which changes with every refresh.
create table assistant_grants (
  id text primary key,
  organization_id text not null references organizations (id),
  user_id text not null references users (id),
  project_id text not null references projects (id),
  client_id_hash text not null,
  client_name text not null,
  redirect_uri text not null,
  read_only integer not null,
  -- Of the key with which it was allowed, if that is restricted: nobody passes on more than they have.
  max_role text,
  tools text,
  code_hash text,
  code_challenge text not null,
  code_expires_at text not null,
  key_id text,
  refresh_hash text,
  refresh_before text,
  refresh_expires_at text,
  created_at text not null
) /* sqlite: without rowid */;

create unique index assistant_grants_code on assistant_grants (code_hash);
create unique index assistant_grants_refresh on assistant_grants (refresh_hash);
create unique index assistant_grants_before on assistant_grants (refresh_before);
create unique index assistant_grants_key on assistant_grants (key_id);
