-- On whose behalf an agent acts upon events: whoever made it, or changed it last.
alter table agents add column run_as text;
update agents set run_as = created_by;

-- Whose runs wait, so that those of somebody who is gone need not wait to the end.
create index runs_waiting on runs (started_by, project_id) where status = 'waiting';
