-- The key of the secret half of invite codes, wrapped by the master key. There is one row, 'invites'.
create table code_keys (
  id text not null primary key,
  master_key_id text not null,
  wrapped text not null,
  created_at text not null
);
