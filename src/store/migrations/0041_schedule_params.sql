-- SQLite: the row of a schedule is rewritten with each of its starts, and a search that passes it reads it whole. Large params
-- become large texts, like those of runs.
-- only sqlite
insert into large_texts (id, part, text)
with recursive parts (id, part) as (
  select id, 0 from schedules where length(params) > 131072
  union all
  select parts.id, part + 1 from parts join schedules on schedules.id = parts.id
   where length(params) > (part + 1) * 262144
)
select parts.id, part, substr(params, part * 262144 + 1, 262144) from parts join schedules on schedules.id = parts.id;

update schedules set params = '@' || id where length(params) > 131072;
-- end
