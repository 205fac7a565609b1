-- Grows whenever somebody joins a directory or leaves it: as long as it stands still, so does everybody's place in the list.
alter table directories add column comings_and_goings bigint not null default 0;
