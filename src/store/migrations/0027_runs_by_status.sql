-- Finds the few runs that wait, failed or have an unknown outcome among hundreds of thousands that succeeded. A call that only
-- reads inserts its run as succeeded, so it costs no entry here.
create index runs_not_succeeded on runs (project_id, status, id) where status <> 'succeeded';
