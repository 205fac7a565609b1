import { agentConversationOperations } from "./agent-conversations.ts";
import { agentTriggerOperations } from "./agent-trigger.ts";
import { agentWebhookOperations } from "./agent-webhook.ts";
import { agentOperations } from "./agents.ts";
import { auditOperations } from "./audit.ts";
import { codeOperations } from "./codes.ts";
import { confirmOperations } from "./confirm.ts";
import { connectionOperations } from "./connections.ts";
import type { Operation } from "./define.ts";
import { deliveryOperations } from "./deliveries.ts";
import { directoryOperations } from "./directory.ts";
import { domainOperations } from "./domains.ts";
import { eventOperations } from "./events.ts";
import { inviteOperations } from "./invites.ts";
import { keyOperations } from "./keys.ts";
import { limitOperations } from "./limits.ts";
import { organizationOperations } from "./organizations.ts";
import { passkeyOperations } from "./passkeys.ts";
import { passwordOperations } from "./passwords.ts";
import { peopleOperations } from "./people.ts";
import { projectOperations } from "./projects.ts";
import { registrationOperations } from "./registrations.ts";
import { runOperations } from "./runs.ts";
import { scheduleOperations } from "./schedules.ts";
import { serviceUserOperations } from "./service-users.ts";
import { sessionOperations } from "./sessions.ts";
import { signInOperations } from "./sign-in.ts";
import { signUpOperations } from "./sign-up.ts";
import { singleSignOnOperations } from "./single-sign-on.ts";
import { stepOperations } from "./steps.ts";
import { systemOperations } from "./systems.ts";
import { toolExchangeOperations } from "./tool-exchange.ts";
import { toolVersionOperations } from "./tool-versions.ts";
import { toolOperations } from "./tools.ts";
import { triggerOperations } from "./trigger.ts";
import { userOperations } from "./users.ts";
import { webhookOperations } from "./webhooks.ts";

/** Everything the world may ask, in the order in which the reference shows it. */
export const operations: Operation[] = [
  ...projectOperations,
  ...inviteOperations,
  ...userOperations,
  ...keyOperations,
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
  ...directoryOperations,
  ...systemOperations,
  ...connectionOperations,
  ...stepOperations,
  ...toolOperations,
  ...toolVersionOperations,
  ...toolExchangeOperations,
  ...scheduleOperations,
  ...triggerOperations,
  ...runOperations,
  ...limitOperations,
  ...agentOperations,
  ...agentTriggerOperations,
  ...agentConversationOperations,
  ...agentWebhookOperations,
  ...registrationOperations,
  ...eventOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...auditOperations,
];
