-- Under which claim a step was last kept: the journal itself says whether a run gets on, and its row is left alone meanwhile.
alter table run_steps add column fence integer not null default 0;

-- Whom nobody wants to go on: read by every worker before every step, and almost always empty.
create index runs_cancelled on runs (id) where cancel_asked = 1 and status = 'running';
