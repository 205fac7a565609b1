-- What `/metrics` counts with each request: the few runs whose outcome is unknown, among all runs of a region.
create index runs_unknown on runs (id) where status = 'outcome_unknown';

-- The W3C trace in which an event was announced; empty where requests are not traced.
alter table deliveries add column trace text;
