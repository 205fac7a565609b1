-- A run is one step, or a tool of several. What a step run sent is kept in the row itself, so that a call which only reads
-- costs one insert. The rows are long, so SQLite keeps them apart from the tree of their keys: measured, a third less to
-- write for each than in the order of their key.
create table runs (
  id text primary key,
  organization_id text not null,
  project_id text not null,
  kind text not null,
  step_id text,
  connection_id text,
  status text not null,
  params text not null,
  attempts text not null,
  output text,
  output_bytes integer not null,
  warnings text not null,
  problem text,
  limits text not null,
  started_by text not null,
  key_id text,
  created_at text not null,
  finished_at text,
  lease_until text
);

create index runs_project on runs (project_id, id);
create index runs_connection on runs (connection_id, id) where connection_id is not null;
create index runs_leases on runs (lease_until) where lease_until is not null;

-- Outputs too large to be read with every list.
create table run_outputs (
  run_id text primary key,
  output text not null
);
