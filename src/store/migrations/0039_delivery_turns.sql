-- Organizations take turns in the queue of deliveries. Null in rows of the previous version, until the dispatcher fills it in.
alter table deliveries add column organization_id text;

-- Which organizations have something to send, and which webhooks of one: found without reading the rest of their queues.
create index deliveries_organization_due on deliveries (organization_id, send_at) where send_at is not null;
create index deliveries_webhook_due on deliveries (organization_id, webhook_id, send_at) where send_at is not null;
create index deliveries_status on deliveries (webhook_id, status, id);

-- What remains to be done to many deliveries of one webhook, in batches: to delete, to fail or to replay them.
create table delivery_jobs (
  organization_id text not null,
  webhook_id text not null,
  kind text not null,
  -- Of a replay: since when the deliveries were announced, and the last one that it has looked at.
  since text not null,
  done_to text not null,
  -- Why deliveries fail.
  problem text,
  primary key (organization_id, webhook_id, kind)
) /* sqlite: without rowid */;
