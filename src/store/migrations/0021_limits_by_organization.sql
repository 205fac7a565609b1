-- Limits are kept for each organization apart. What was counted so far stays where one organization alone has used it, so that no
-- limit is overrun across the change. What several have used together is nobody's: it is forgotten, and the systems' own
-- answers tell each of them where it stands.
insert into limit_states (subject, state, low)
select min(c.organization_id) || '|' || s.subject, s.state, s.low
  from limit_states s
  join limit_uses u on u.subject = s.subject
  join connections c on c.id = u.connection_id
 group by s.subject, s.state, s.low
having count(distinct c.organization_id) = 1;

insert into limit_uses (project_id, connection_id, subject)
select u.project_id, u.connection_id, c.organization_id || '|' || u.subject
  from limit_uses u
  join connections c on c.id = u.connection_id
 where exists (select 1 from limit_states s where s.subject = c.organization_id || '|' || u.subject);

delete from limit_states where subject like 'marketing|%' or subject like 'deployment|%' or subject like 'analytics|%';
delete from limit_uses where subject like 'marketing|%' or subject like 'deployment|%' or subject like 'analytics|%';
delete from limit_waiters;

-- Where one organization has all the places it may have in a worker, its runs in the queue are passed over by the index alone.
drop index runs_due;
create index runs_due on runs (run_at, id, organization_id) where run_at is not null;
