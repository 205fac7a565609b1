-- How often working on a run has failed by our own fault since it last got on.
alter table runs add column failures integer not null default 0;
