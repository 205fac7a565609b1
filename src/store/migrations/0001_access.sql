-- Ids are the keys, so SQLite keeps each table in the order of its key, without a hidden number beside it: one tree less
-- to write for every row, and one less to walk for every look-up by id. PostgreSQL reads the remark as a remark.

create table organizations (
  id text primary key,
  name text not null,
  project_creation text not null,
  keys_on_reactivation text not null,
  created_at text not null
) /* sqlite: without rowid */;

create table users (
  id text primary key,
  organization_id text not null references organizations (id),
  email text not null,
  email_key text not null,
  organization_role text not null,
  active integer not null,
  created_at text not null,
  deactivated_at text,
  unique (organization_id, email_key)
) /* sqlite: without rowid */;

-- Operators look people up by address alone.
create index users_email on users (email_key);

create table projects (
  id text primary key,
  organization_id text not null references organizations (id),
  name text not null,
  description text not null,
  created_by text not null,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create index projects_organization on projects (organization_id, id);

create table memberships (
  project_id text not null references projects (id),
  user_id text not null references users (id),
  actions text not null,
  role text not null,
  created_at text not null,
  primary key (project_id, user_id)
) /* sqlite: without rowid */;

create index memberships_user on memberships (user_id, project_id);

create table invites (
  code text primary key,
  project_id text not null references projects (id),
  email text not null,
  email_key text not null,
  actions text not null,
  role text not null,
  status text not null,
  invited_by text not null,
  created_at text not null,
  expires_at text not null,
  sent_at text not null,
  sent_count integer not null,
  accepted_at text,
  accepted_by text
) /* sqlite: without rowid */;

-- One open invite for an address in a project; read by address when a person joins the organization.
create unique index invites_open on invites (email_key, project_id) where status = 'pending';
create index invites_project on invites (project_id, code);
create index invites_inviter on invites (invited_by) where status = 'pending';

create table api_keys (
  id text primary key,
  user_id text not null references users (id),
  hash text not null unique,
  label text not null,
  hint text not null,
  project_ids text,
  max_role text,
  created_at text not null,
  expires_at text,
  revoked_at text,
  disabled_at text,
  last_used_at text
) /* sqlite: without rowid */;

create index api_keys_user on api_keys (user_id, id);

create table idempotent_answers (
  user_id text not null,
  project_id text not null,
  path text not null,
  idempotency_key text not null,
  fingerprint text not null,
  body text,
  sealed integer not null,
  created_at text not null,
  primary key (user_id, project_id, path, idempotency_key)
) /* sqlite: without rowid */;

create index idempotent_answers_age on idempotent_answers (created_at);

create table audit_heads (
  organization_id text primary key references organizations (id),
  seq bigint not null,
  hash text not null
) /* sqlite: without rowid */;

create table audit_log (
  organization_id text not null,
  seq bigint not null,
  at text not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  key_id text,
  project_id text,
  target text,
  details text not null,
  request_id text,
  ip text,
  prev_hash text not null,
  hash text not null,
  primary key (organization_id, seq)
) /* sqlite: without rowid */;

create index audit_log_project on audit_log (project_id, seq) where project_id is not null;

create table mails (
  id text primary key,
  recipient text not null,
  kind text not null,
  details text not null,
  attempts integer not null,
  send_at text not null,
  created_at text not null
) /* sqlite: without rowid */;

create index mails_due on mails (send_at);

-- The audit log is append-only, for this program as for any other.
-- only sqlite
create trigger audit_log_no_update before update on audit_log
begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_log_no_delete before delete on audit_log
begin select raise(abort, 'the audit log is append-only'); end;
-- end
-- only postgres
create function audit_log_refuse() returns trigger language plpgsql as
$$ begin raise exception 'the audit log is append-only'; end $$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
for each statement execute function audit_log_refuse();
-- end
