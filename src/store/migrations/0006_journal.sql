-- A run of a tool: the tool as it was when the run began, when it is due, and who works on it. Whoever claims a run raises its
-- fence; whoever has lost it since can write nothing.
alter table runs add column tool_id text;
alter table runs add column tool_version integer;
alter table runs add column definition text;
alter table runs add column source text;
alter table runs add column run_at text;
alter table runs add column worker text;
alter table runs add column fence integer not null default 0;
alter table runs add column waiting_for text;
alter table runs add column cancel_asked integer not null default 0;

create index runs_due on runs (run_at, id) where run_at is not null;
create index runs_tool on runs (tool_id, id) where tool_id is not null;

-- What a run has done, step by step; `turn` counts the rounds of a foreach. `written` holds the answers of requests that
-- changed something, so that a step which is taken up again never sends them twice.
create table run_steps (
  run_id text not null,
  position integer not null,
  turn integer not null,
  name text not null,
  step_id text not null,
  connection_id text,
  status text not null,
  input text,
  output text,
  output_bytes integer not null,
  warnings text not null,
  problem text,
  attempts text not null,
  written text not null,
  tries integer not null,
  started_at text not null,
  finished_at text,
  primary key (run_id, position, turn)
);
