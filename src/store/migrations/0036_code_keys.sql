-- The key that hides the codes of invites, wrapped by the master key. There is one row, 'invites'.
create table code_keys (
  id text not null primary key,
  master_key_id text not null,
  wrapped text not null,
  created_at text not null
);
