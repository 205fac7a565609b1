import type { Db } from "../db.ts";
import { readIndexes } from "./catalogue.ts";
import type { GrowingTable } from "./months.ts";

/** BEFORE triggers for rows exist on partitioned tables since this version. */
const oldestServer = 130_000;

const dependents = `
  select format('The view %s reads it: drop the view, and create it again afterwards.', r.ev_class::regclass) as why
    from pg_depend d join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
   where d.refobjid = to_regclass($1) and d.refclassid = 'pg_class'::regclass and r.ev_class <> d.refobjid
  union select format('The publication %s names it: take it out, and add it again afterwards.', p.pubname)
    from pg_publication_rel r join pg_publication p on p.oid = r.prpubid where r.prrelid = to_regclass($1)
  union select format('It has the foreign key %s.', conname)
    from pg_constraint where contype = 'f' and to_regclass($1) in (conrelid, confrelid)
  union select 'It has row-level security.' from pg_class where oid = to_regclass($1) and relrowsecurity
  union select 'It inherits from a table, or another inherits from it.'
    from pg_inherits where to_regclass($1) in (inhrelid, inhparent)
  union select format('Its index %s is not valid: create it again.', indexrelid::regclass)
    from pg_index where indrelid = to_regclass($1) and not indisvalid
  union select format('Its trigger %s is disabled: enable or drop it.', tgname)
    from pg_trigger where tgrelid = to_regclass($1) and not tgisinternal and tgenabled = 'D'
  union select format('PostgreSQL %s is too old: 13 or newer is needed.', current_setting('server_version'))
   where current_setting('server_version_num')::integer < ${oldestServer}`;

/** Why a table cannot be partitioned, as sentences. Empty if it can. */
export async function obstaclesOf(db: Db, table: GrowingTable): Promise<string[]> {
  const rows = await db.query<{ why: string }>(dependents, [table.name]);
  const obstacles = rows.map(({ why }) => why);
  for (const { name, isUniqueInPartitionOnly } of await readIndexes(db, table.name, table.column)) {
    if (isUniqueInPartitionOnly && table.ruleForAll === undefined)
      obstacles.push(`Its unique key ${name} does not contain ${table.column}.`);
  }
  return obstacles;
}
