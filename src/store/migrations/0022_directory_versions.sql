-- What the provider calls its people and groups is its own business (RFC 7643, 3.1): two of them may have one external id.
drop index directory_people_external;
create index directory_people_external on directory_people (directory_id, external_id, user_id) where deleted_at is null;
drop index directory_groups_external;
create index directory_groups_external on directory_groups (directory_id, external_id, id);

-- Whom the directory has deleted is found again by both names together, and by each of them when they try to sign in.
drop index directory_people_deleted;
create index directory_people_deleted on directory_people (directory_id, external_id, user_name_key) where deleted_at is not null;
create index directory_people_deleted_name on directory_people (directory_id, user_name_key) where deleted_at is not null;

-- Grows with everything that a reader of the resource can see: what ETags are made of.
alter table directory_people add column revision integer not null default 0;
alter table directory_groups add column revision integer not null default 0;
