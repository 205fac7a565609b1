import type { Operation } from "../calls/define-operation.ts";
import { assistantOperations } from "./access/assistants.ts";
import { auditOperations } from "./access/audit.ts";
import { inviteOperations } from "./access/invites.ts";
import { keyOperations } from "./access/keys.ts";
import { organizationOperations } from "./access/organizations.ts";
import { peopleOperations } from "./access/people.ts";
import { projectOperations } from "./access/projects.ts";
import { retentionOperations } from "./access/retention.ts";
import { serviceUserOperations } from "./access/service-users.ts";
import { userOperations } from "./access/users.ts";
import { agentWebhookOperations } from "./agents/agent-webhook.ts";
import { agentOperations } from "./agents/agents.ts";
import { agentConversationOperations } from "./agents/conversations.ts";
import { eventOperations } from "./agents/events.ts";
import { modelOperations } from "./agents/models.ts";
import { registrationOperations } from "./agents/registrations.ts";
import { agentTriggerOperations } from "./agents/trigger-agent.ts";
import { connectOperations } from "./connections/connect.ts";
import { connectionOperations } from "./connections/connections.ts";
import { limitOperations } from "./connections/limits.ts";
import { systemOperations } from "./connections/systems.ts";
import { directoryOperations } from "./directory/directories.ts";
import { directoryGroupOperations } from "./directory/groups.ts";
import { directoryTokenOperations } from "./directory/tokens.ts";
import { runOperations } from "./runs/runs.ts";
import { watchOperations } from "./runs/watch-project.ts";
import { sandboxOperations } from "./sandboxes/sandboxes.ts";
import { confirmOperations } from "./sign-in/confirm-identity.ts";
import { codeOperations } from "./sign-in/one-time-codes.ts";
import { passkeyOperations } from "./sign-in/passkeys.ts";
import { passwordOperations } from "./sign-in/passwords.ts";
import { sessionOperations } from "./sign-in/sessions.ts";
import { signInOperations } from "./sign-in/sign-in.ts";
import { signUpOperations } from "./sign-in/sign-up.ts";
import { domainOperations } from "./single-sign-on/domains.ts";
import { singleSignOnOperations } from "./single-sign-on/providers.ts";
import { stepOperations } from "./steps/steps.ts";
import { importExportOperations } from "./tools/import-export.ts";
import { scheduleOperations } from "./tools/schedules.ts";
import { toolOperations } from "./tools/tools.ts";
import { triggerOperations } from "./tools/trigger-tool.ts";
import { toolVersionOperations } from "./tools/versions.ts";
import { deliveryOperations } from "./webhooks/deliveries.ts";
import { webhookOperations } from "./webhooks/webhooks.ts";

const listed = [
  ...projectOperations,
  ...inviteOperations,
  ...userOperations,
  ...keyOperations,
  ...assistantOperations,
  ...sessionOperations,
  ...signInOperations,
  ...confirmOperations,
  ...passwordOperations,
  ...passkeyOperations,
  ...codeOperations,
  ...signUpOperations,
  ...serviceUserOperations,
  ...singleSignOnOperations,
  ...domainOperations,
  ...organizationOperations,
  ...peopleOperations,
  ...retentionOperations,
  ...directoryOperations,
  ...directoryTokenOperations,
  ...directoryGroupOperations,
  ...systemOperations,
  ...connectOperations,
  ...connectionOperations,
  ...stepOperations,
  ...toolOperations,
  ...toolVersionOperations,
  ...importExportOperations,
  ...scheduleOperations,
  ...triggerOperations,
  ...runOperations,
  ...watchOperations,
  ...limitOperations,
  ...agentOperations,
  ...modelOperations,
  ...agentTriggerOperations,
  ...agentConversationOperations,
  ...agentWebhookOperations,
  ...registrationOperations,
  ...eventOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...auditOperations,
  ...sandboxOperations,
];

/** All operations, in the order in which the reference shows them. */
export const operations: Operation[] = listed;

/** The wire types of each path, for the typed client. */
export type Wires = NonNullable<(typeof listed)[number]["wire"]>;
