-- One row. `mark` grows while a server is at work; a file in the data folder follows it. A store whose mark is behind that
-- file was put back from a backup. `epoch` counts how often that was; what was open before `restored_at` may have been sent
-- after the backup was taken.
create table store_mark (
  id text primary key,
  store_id text not null,
  mark bigint not null,
  marked_at text not null,
  epoch bigint not null,
  restored_at text,
  -- The last moment that the restored store knows of.
  restored_from text
) /* sqlite: without rowid */;
