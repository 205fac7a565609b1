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
