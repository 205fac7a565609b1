-- Lists, searches and checks that read an organization's or a project's whole history without these.

-- Runs that wait for an approval, among very many that wait for something else.
create index runs_to_approve on runs (project_id, id) where status = 'waiting' and waiting_for like '{"kind":"approval"%';
-- An agent's conversations, and the runs of one of them.
create index runs_in_conversations on runs (agent_id, conversation_id, id) where conversation_id is not null;

-- The accounts of one system: in a project, and in an organization.
create index connections_of_system on connections (project_id, system, id);
create index connections_connected on connections (organization_id, system, id) where state = 'connected';

-- Whether there is another owner or admin, among very many other people.
create index users_owners on users (organization_id, id) where organization_role = 'owner' and active = 1;
create index memberships_admins on memberships (project_id, user_id) where role = 'admin';

-- What has expired of the grants of assistants.
create index assistant_grants_codes on assistant_grants (code_expires_at) where key_id is null;
create index assistant_grants_age on assistant_grants (refresh_expires_at) where refresh_expires_at is not null;

-- Whose mail it is, so that organizations take turns. Null for mails of an earlier version.
alter table mails add column organization_id text;
