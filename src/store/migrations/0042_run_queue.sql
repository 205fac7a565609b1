-- The queue of runs that no worker has begun. A claim changes this row alone, and only columns that no index has, so PostgreSQL
-- updates the row in its page.
create table run_queue (
  run_id text primary key,
  organization_id text not null,
  due_at text not null,
  worker text,
  lease_until text,
  claims integer not null default 0
) /* sqlite: without rowid */;
create index run_queue_due on run_queue (due_at, run_id, organization_id);

-- Room for the new version of each row.
-- only postgres
alter table run_queue set (fillfactor = 50);
-- end

insert into run_queue (run_id, organization_id, due_at)
select id, organization_id, run_at from runs where run_at is not null and fence = 0 and status = 'queued';

-- Runs that were claimed before: they have waited, or their worker died. On PostgreSQL, the previous version finds all due runs by
-- `runs_due`.
create index runs_due_again on runs (run_at, id, organization_id) where run_at is not null and fence > 0;

-- One process alone uses a file. There, each of the two has its own runs: without statistics, SQLite would search the other.
-- only sqlite
drop index runs_due;
create index runs_due on runs (run_at) where run_at is not null and fence = 0;
-- end
