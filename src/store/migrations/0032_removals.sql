-- Until when a connection counts as one that is being removed. Removals at the same moment do not wait for each other to end a grant
-- that they share.
alter table connections add column removing_until text;
