-- At which claim a run last got on: whoever claims it much later than that looks at a run which ends every worker.
alter table runs add column progress_fence integer not null default 0;
update runs set progress_fence = fence;

-- How often a step has been looked for at its system, since its answer was lost.
alter table run_steps add column looks integer not null default 0;

-- On whose behalf a schedule starts runs: whoever made it, or changed it last.
alter table schedules add column run_as text;
update schedules set run_as = created_by;

-- Who is to be told that a limit is used up.
create index limit_uses_subject on limit_uses (subject);
