-- The restore that is settled: what waited when the backup was taken has been set aside. While it is not that of `restored_at`, no
-- server works on the store. Null counts as not settled, also for restores from before this column: to settle one again does nothing.
alter table store_mark add column settled_restore text;
