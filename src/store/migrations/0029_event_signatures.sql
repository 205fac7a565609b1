-- What became of an event's signature when it arrived. Null for events from before this column.
alter table events add column signature text;

-- The last requests to each agent that were refused because of their signature. Nothing that their sender wrote is in here.
create table event_refusals (
  id text primary key,
  agent_id text not null,
  reason text not null,
  at text not null
) /* sqlite: without rowid */;

create index event_refusals_newest on event_refusals (agent_id, id);
create index event_refusals_age on event_refusals (at);
