-- A list of people is read from the index alone: with a condition that only stands in the index's own `where`, SQLite would look
-- at each of 100,000 rows to see whether it holds.
drop index directory_people_order;
create index directory_people_order on directory_people (directory_id, deleted_at, user_id);

-- How many people a directory has, so that nobody counts them for each page of a list.
alter table directories add column people integer not null default 0;
update directories set people =
  (select count(*) from directory_people p where p.directory_id = directories.id and p.deleted_at is null);
