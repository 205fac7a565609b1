-- An organization's identity provider, as SCIM connects it: whom it sends, in which groups, and what these groups may do.

create table directories (
  id text primary key,
  organization_id text not null references organizations (id),
  label text not null,
  created_at text not null
) /* sqlite: without rowid */;

create index directories_organization on directories (organization_id, id);

create table directory_tokens (
  id text primary key,
  directory_id text not null references directories (id),
  hash text not null unique,
  hint text not null,
  created_at text not null,
  expires_at text,
  revoked_at text,
  last_used_at text
) /* sqlite: without rowid */;

create index directory_tokens_directory on directory_tokens (directory_id, id);

-- An account that a directory looks after, with what it told about the person. `deleted_at`: the directory has deleted
-- them; the row stays, so that the same external id finds the same account again.
create table directory_people (
  user_id text primary key references users (id),
  directory_id text not null references directories (id),
  user_name text not null,
  user_name_key text not null,
  external_id text,
  display text not null,
  resource text not null,
  created_at text not null,
  updated_at text not null,
  deleted_at text
) /* sqlite: without rowid */;

create table directory_groups (
  id text primary key,
  directory_id text not null references directories (id),
  display_name text not null,
  display_name_key text not null,
  external_id text,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create table directory_group_members (
  group_id text not null references directory_groups (id),
  user_id text not null references directory_people (user_id),
  primary key (group_id, user_id)
) /* sqlite: without rowid */;

create index directory_group_members_user on directory_group_members (user_id, group_id);

-- What a group's members may do in a project: the actions of the Permissions object, as flags that add up.
create table directory_group_roles (
  group_id text not null references directory_groups (id),
  project_id text not null references projects (id),
  viewer integer not null,
  editor integer not null,
  admin integer not null,
  primary key (group_id, project_id)
) /* sqlite: without rowid */;

-- One row for each simple value of a person, so that every filter is a look-up: `term` is the value as it is compared,
-- its beginning where it is long; `whole` is all of it then. `element` counts the elements of a list.
create table directory_values (
  owner_id text not null references directory_people (user_id),
  attribute text not null,
  element integer not null,
  directory_id text not null,
  term text not null,
  whole text,
  primary key (owner_id, attribute, element)
) /* sqlite: without rowid */;

-- SQLite compares bytes; so does PostgreSQL, if it is told to.
-- only postgres
alter table directory_people alter column user_name_key type text collate "C", alter column external_id type text collate "C";
alter table directory_groups alter column display_name_key type text collate "C", alter column external_id type text collate "C";
alter table directory_values alter column term type text collate "C", alter column whole type text collate "C";
-- end

create index directory_people_order on directory_people (directory_id, user_id) where deleted_at is null;
create unique index directory_people_name on directory_people (directory_id, user_name_key) where deleted_at is null;
create unique index directory_people_external on directory_people (directory_id, external_id) where deleted_at is null;
create index directory_people_deleted on directory_people (directory_id, external_id) where deleted_at is not null;

create index directory_groups_order on directory_groups (directory_id, id);
create unique index directory_groups_name on directory_groups (directory_id, display_name_key);
create unique index directory_groups_external on directory_groups (directory_id, external_id);

create index directory_values_term on directory_values (directory_id, attribute, term, owner_id, element);

-- A membership that comes from groups is theirs to change. `own_actions`: what the person had by hand before.
alter table memberships add column managed integer not null default 0;
alter table memberships add column own_actions text;
