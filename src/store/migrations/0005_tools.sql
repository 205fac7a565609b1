-- A tool is its draft; what was published is kept beside it, and never changes. A deleted one stays, because runs name it.
create table tools (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  definition text not null,
  -- Grows with every change of the draft, so that nobody overwrites what they have not seen.
  revision integer not null,
  published_version integer,
  created_by text not null,
  created_at text not null,
  updated_at text not null,
  deleted_at text
) /* sqlite: without rowid */;

create index tools_project on tools (project_id, id) where deleted_at is null;

create table tool_versions (
  tool_id text not null references tools (id),
  version integer not null,
  definition text not null,
  note text,
  created_by text not null,
  created_at text not null,
  primary key (tool_id, version)
) /* sqlite: without rowid */;

-- When a tool is started by the clock. `next_at` is null while it is not: the index holds only those that are on.
create table schedules (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  tool_id text not null references tools (id),
  cron text not null,
  time_zone text not null,
  misfire text not null,
  params text not null,
  enabled integer not null,
  next_at text,
  last_at text,
  last_run_id text,
  last_problem text,
  created_by text not null,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create index schedules_project on schedules (project_id, id);
create index schedules_tool on schedules (tool_id);
create index schedules_due on schedules (next_at) where next_at is not null;
