-- How long an organization keeps its records. Without a row, the defaults apply. A number of days that is null keeps them for ever.
create table retention_policies (
  organization_id text primary key references organizations (id),
  runs_days integer,
  runs_export integer not null,
  events_days integer,
  events_export integer not null,
  deliveries_days integer,
  deliveries_export integer not null,
  audit_days integer,
  updated_by text not null,
  updated_at text not null
) /* sqlite: without rowid */;

-- While a hold is open, nothing of its project is deleted; without a project, nothing of its organization.
create table legal_holds (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text references projects (id),
  reason text not null,
  created_by text not null,
  created_at text not null,
  released_by text,
  released_at text,
  release_reason text
) /* sqlite: without rowid */;

create index legal_holds_organization on legal_holds (organization_id, id);
create index legal_holds_open on legal_holds (organization_id) where released_at is null;

-- The files into which records were exported before they were deleted.
create table archives (
  id text primary key,
  organization_id text not null references organizations (id),
  kind text not null,
  file text not null,
  record_count bigint not null,
  first_at text not null,
  last_at text not null,
  bytes bigint not null,
  sha256 text not null,
  created_at text not null
) /* sqlite: without rowid */;

create index archives_organization on archives (organization_id, id);

-- Where an organization's audit chain begins in the database. All rows up to `seq` are in archives; `hash` is that of the last of them.
-- The sealed text holds the same: who can write to the database and lacks the master key cannot forge an anchor.
create table audit_anchors (
  id text primary key,
  organization_id text not null references organizations (id),
  seq bigint not null,
  hash text not null,
  archive_id text not null,
  sealed text not null,
  data_key_id text not null,
  created_at text not null,
  unique (organization_id, seq)
) /* sqlite: without rowid */;

create index audit_anchors_data_key on audit_anchors (data_key_id);

-- Deleted runs whose steps and outputs are still to be deleted, a few at a time.
create table run_remains (
  run_id text primary key
) /* sqlite: without rowid */;

-- Background work that one node does at a time.
create table background_leases (
  name text primary key,
  holder text not null,
  lease_until text not null
) /* sqlite: without rowid */;

-- The audit log stays append-only, but rows behind an anchor may go.
-- only sqlite
drop trigger audit_log_no_delete;
create trigger audit_log_no_delete before delete on audit_log
when not exists (select 1 from audit_anchors a where a.organization_id = old.organization_id and a.seq >= old.seq)
begin select raise(abort, 'the audit log is append-only'); end;
-- end
-- only postgres
drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before update or truncate on audit_log
for each statement execute function audit_log_refuse();
create function audit_log_refuse_delete() returns trigger language plpgsql as
$$ begin
  if exists (select 1 from audit_anchors a where a.organization_id = old.organization_id and a.seq >= old.seq) then
    return old;
  end if;
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_keep before delete on audit_log
for each row execute function audit_log_refuse_delete();
-- end
