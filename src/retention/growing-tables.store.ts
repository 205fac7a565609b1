/**
 * "A number of an organization's audit chain is given once." A partition has a key for that, but only for its own rows: this
 * looks into all of them. Whoever appends holds the head of the chain, so no other row comes in between.
 */
export const auditNumbersOnce = `
  create or replace function audit_log_refuse_repeated() returns trigger language plpgsql as
  $$ begin
    perform 1 from audit_heads h where h.organization_id = new.organization_id for no key update;
    if exists (select 1 from audit_log a where a.organization_id = new.organization_id and a.seq = new.seq) then
      raise unique_violation using message = 'the audit log has this number already', table = 'audit_log';
    end if;
    return new;
  end $$;
  drop trigger if exists audit_log_once on audit_log;
  create trigger audit_log_once before insert on audit_log
  for each row execute function audit_log_refuse_repeated();`;
