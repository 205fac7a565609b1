-- A run of an agent: whose it is, and to which conversation it belongs. The agent as it was when the run began stands in the
-- run's definition.
alter table runs add column agent_id text;
alter table runs add column conversation_id text;

create index runs_agent on runs (agent_id, id) where agent_id is not null;
create index runs_conversation on runs (conversation_id, id) where conversation_id is not null;

-- How much one run of the agent may take.
alter table agents add column turns_max integer not null default 20;
alter table agents add column tokens_max integer not null default 500000;
alter table agents add column minutes_max integer not null default 60;
