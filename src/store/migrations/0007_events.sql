-- Addresses that are told of what happens here. A project's hears of that project; one of the whole organization, of all.
create table webhooks (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  whole_organization integer not null,
  url text not null,
  description text not null,
  events text not null,
  status text not null,
  status_reason text,
  -- The signing secrets, two of them while one takes the other's place.
  sealed text,
  data_key_id text,
  created_by text not null,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create index webhooks_project on webhooks (project_id, id);
create index webhooks_organization on webhooks (organization_id) where whole_organization = 1;
create index webhooks_data_key on webhooks (data_key_id) where data_key_id is not null;

-- What is to be told to one address, written with the change it tells of. Due while `send_at` is set. It refers to its webhook
-- by no constraint: a change must not fail because an address that would have heard of it is deleted at that moment.
create table deliveries (
  id text primary key,
  webhook_id text not null,
  event_id text not null,
  type text not null,
  body text not null,
  status text not null,
  attempts integer not null,
  send_at text,
  -- Whoever sends it now. Another that took it over after the claim ran out has a later one.
  claim integer not null,
  response_status integer,
  problem text,
  created_at text not null,
  tried_at text,
  delivered_at text
) /* sqlite: without rowid */;

create index deliveries_due on deliveries (send_at) where send_at is not null;
create index deliveries_webhook on deliveries (webhook_id, id);
create index deliveries_age on deliveries (created_at);

create table agents (
  id text primary key,
  organization_id text not null references organizations (id),
  project_id text not null references projects (id),
  name text not null,
  instructions text not null,
  tools text not null,
  steps text not null,
  model text,
  approval text not null,
  rules text not null,
  -- Its address holds a random text, of which the hash is looked for here; the text itself is sealed with the secrets.
  token_hash text not null unique,
  signature text not null,
  sealed text,
  data_key_id text,
  paused integer not null,
  created_by text not null,
  created_at text not null,
  updated_at text not null
) /* sqlite: without rowid */;

create index agents_project on agents (project_id, id);
create index agents_data_key on agents (data_key_id) where data_key_id is not null;

-- Webhooks that were made at the deployment platform, for an agent and through a connection.
create table registrations (
  agent_id text not null references agents (id),
  connection_id text not null,
  system_webhook_id text not null,
  events text not null,
  created_at text not null,
  primary key (agent_id, connection_id)
) /* sqlite: without rowid */;

-- What an agent was told, as it came. `repeat_key` is the sender's own id of it, or the hash of its bytes.
create table events (
  id text primary key,
  organization_id text not null,
  project_id text not null,
  agent_id text not null,
  repeat_key text,
  type text not null,
  system_type text not null,
  body text not null,
  status text not null,
  run_ids text not null,
  problem text,
  created_at text not null,
  handled_at text
) /* sqlite: without rowid */;

create unique index events_once on events (agent_id, repeat_key) where repeat_key is not null;
create index events_project on events (project_id, id);
create index events_agent on events (agent_id, id);
create index events_queued on events (agent_id, id) where status = 'queued';
create index events_age on events (created_at);
