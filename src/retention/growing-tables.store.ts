import type { Db } from "../store/db.ts";

const takeNumber = "update audit_heads set seq = new.seq where organization_id = new.organization_id and seq < new.seq";

/**
 * "A number of an organization's audit chain is given once." A partition has a key for that, but only for its own rows. So a row
 * takes its number from the head of the chain, which never goes back. Looking for the number in every partition would take
 * longer with each of them.
 */
export const auditNumbersOnce = `
  create or replace function audit_log_take_number() returns trigger language plpgsql as
  $$ begin
    ${takeNumber};
    if not found then
      raise unique_violation using message = 'the audit log has this number already', table = 'audit_log';
    end if;
    return new;
  end $$;
  drop trigger if exists audit_log_once on audit_log;
  create trigger audit_log_once before insert on audit_log
  for each row execute function audit_log_take_number();`;

/**
 * "A repeat returns the first event": an agent stores one event for each key of its sender, whatever month it is in. A table of
 * keys alone holds them for all partitions. An insert of a key that is taken stores nothing, as `on conflict do nothing` does.
 */
export const eventKeysOnce = `
  create table if not exists event_keys (agent_id text, repeat_key text, primary key (agent_id, repeat_key));
  create or replace function events_take_key() returns trigger language plpgsql as
  $$ begin
    if new.repeat_key is null then
      return new;
    end if;
    insert into event_keys (agent_id, repeat_key) values (new.agent_id, new.repeat_key) on conflict do nothing;
    return case when found then new end;
  end $$;
  create or replace function events_release_key() returns trigger language plpgsql as
  $$ begin
    delete from event_keys where agent_id = old.agent_id and repeat_key = old.repeat_key;
    return null;
  end $$;
  drop trigger if exists events_once_take on events;
  create trigger events_once_take before insert on events for each row execute function events_take_key();
  drop trigger if exists events_once_release on events;
  create trigger events_once_release after delete on events for each row execute function events_release_key();
  drop trigger if exists events_once_change on events;
  create trigger events_once_change after update of repeat_key on events
  for each row when (old.repeat_key is distinct from new.repeat_key) execute function events_release_key();`;

const fillRows = 5_000;

/** The rows are locked until their keys are stored: a key that is released meanwhile would otherwise be stored after that. */
export async function fillEventKeys(db: Db, after: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    `with batch as (select id, agent_id, repeat_key from events where id > $1 order by id limit ${fillRows} for update),
          stored as (insert into event_keys (agent_id, repeat_key)
                     select agent_id, repeat_key from batch where repeat_key is not null on conflict do nothing)
     select max(id) as id from batch having count(*) = ${fillRows}`,
    [after],
  );
  return rows[0]?.id ?? null;
}
