-- An identity provider that an organization's people sign in at.
create table sso_providers (
  id text primary key,
  organization_id text not null references organizations (id),
  kind text not null,
  label text not null,
  enabled integer not null,
  -- People of the verified domains have no other way in; owners do.
  required integer not null,
  -- What is known of the provider, as JSON, without its secret.
  settings text not null,
  sealed text,
  data_key_id text references data_keys (id),
  just_in_time integer not null,
  default_project_id text references projects (id),
  default_actions text,
  -- The directory whose people sign in here.
  directory_id text,
  created_by text not null,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create index sso_providers_organization on sso_providers (organization_id, id);
create index sso_providers_data_key on sso_providers (data_key_id) where data_key_id is not null;

-- A domain that an organization says is its own; `verified_at` once it has shown that.
create table domains (
  id text primary key,
  organization_id text not null references organizations (id),
  domain text not null,
  token text not null,
  provider_id text references sso_providers (id),
  verified_at text,
  verified_by text,
  created_at text not null
) /* sqlite: without rowid */;

create unique index domains_organization on domains (organization_id, domain);
create unique index domains_verified on domains (domain) where verified_at is not null;
create index domains_provider on domains (provider_id) where provider_id is not null;

-- Who somebody is at a provider. The address is what was shown at the last sign-in; nobody is told apart by it.
create table identities (
  id text primary key,
  organization_id text not null,
  provider_id text not null references sso_providers (id),
  subject text not null,
  user_id text not null references users (id),
  email text,
  created_at text not null,
  last_used_at text not null
) /* sqlite: without rowid */;

create unique index identities_subject on identities (provider_id, subject);
create index identities_user on identities (user_id);
create index identities_organization on identities (organization_id, id);

-- A sign-in that was begun. Named by the hash of a text that only the browser and the provider have seen.
create table sso_flows (
  id text primary key,
  provider_id text not null references sso_providers (id),
  browser_hash text not null,
  -- What a SAML answer has to name.
  request_id text,
  -- The session that is to be confirmed, where nobody is to be signed in anew.
  session_id text,
  next_path text,
  state text not null,
  answer text,
  created_at text not null,
  expires_at text not null
) /* sqlite: without rowid */;

create index sso_flows_age on sso_flows (expires_at);
create index sso_flows_provider on sso_flows (provider_id);

-- SAML assertions that were taken, for as long as they could be sent again.
create table saml_assertions (
  provider_id text not null references sso_providers (id),
  assertion_id text not null,
  expires_at text not null,
  primary key (provider_id, assertion_id)
) /* sqlite: without rowid */;

create index saml_assertions_age on saml_assertions (expires_at);

-- Whom a directory has deleted is not made anew by signing in.
create index users_removed on users (organization_id) where removed_at is not null;
