-- Outputs too large to lie in the row of their run or step, each with its beginning. The beginning and the size stand before
-- the output, so that reading them touches none of its pages. The output of the run itself stands at position -1.
create table large_outputs (
  run_id text not null,
  position integer not null,
  turn integer not null,
  bytes integer not null,
  preview text not null,
  output text not null,
  primary key (run_id, position, turn)
);

insert into large_outputs (run_id, position, turn, bytes, preview, output)
  select run_id, -1, -1, length(output), substr(output, 1, 1000), output from run_outputs;
drop table run_outputs;
