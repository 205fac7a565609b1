/**
 * What to do about a problem, in words of the screen. The API's own remedies may name operations and members, in backticks, or
 * headers for programs: those are replaced.
 */
export const remedyFor = ({ code, remedy }: { code: string; remedy: string }): string =>
  /`|header/.test(remedy) ? (remedies[code] ?? remedy.replaceAll("`", "")) : remedy;

const lookAgain = "It may have been removed meanwhile. Reload the page.";
const correct = "Correct what is named here, then try again.";
const moment = "Wait a moment, then try again.";

const remedies: Readonly<Record<string, string>> = {
  // Runs and steps.
  needs_reconnect: "Reconnect the account. It keeps its id, and everything that uses it works again.",
  invalid_there: "Correct what the system names.",
  rate_limited: "Wait a moment, then try again. The page Limits shows what is left of every external limit.",
  quota_exhausted: "Try again when the quota starts anew, ask for less, or get a larger quota at the system.",
  outcome_unknown: "Look at the system, then say in the inbox what happened. It is never sent again by itself.",
  invalid_input: "Correct the tool, or the values that it was started with.",
  expression_failed: "Correct the expression that is named here.",
  model_refused: "Correct the model of the agent, or ask the operator of this server to check its key.",
  turns_used_up: "See in the steps what the model repeated. Make the instructions clearer, or allow more turns.",
  tokens_used_up: "Let it ask for less at a time, or allow more tokens.",
  time_used_up: "Start it again, or allow more minutes.",
  run_not_found: "Check the id. Runs of another project are on that project's pages.",
  run_not_waiting: "Somebody else may have decided. Reload the page.",
  run_ended: "Reload the page to see how it ended. What was sent already is not undone.",
  run_not_repeatable: "Settle it with “It did not”, then run the step again and type the secret once more.",
  // Tools, agents, events, schedules.
  tool_not_found: "Check the link, or choose another tool.",
  tool_version_not_found: lookAgain,
  tool_changed: "Reload to see the change of the other person. What you typed is kept.",
  agent_changed: "Reload to see the change of the other person. What you typed is kept.",
  schedule_changed: "Reload to see the change of the other person. What you typed is kept.",
  step_not_found: "Choose another step: search by the kind of system.",
  options_unavailable: "Type the value, or check the account.",
  schedule_not_found: lookAgain,
  agent_not_found: "Check the link, or choose another agent.",
  model_not_configured: "Ask the operator of this server to set up a model. Rules of an agent work without one.",
  conversation_not_found: "Begin a new conversation.",
  conversation_busy: "Wait until its last run ends, decide what it asks for, or cancel that run.",
  event_not_found: lookAgain,
  address_not_public:
    "Ask the operator of this server for a public https address, then register again. Or make the webhook at the platform by hand, with the address and the secret that this page shows.",
  signature_invalid: "Compare the secret at the sender with the agent's, or rotate it.",
  event_queue_full: "Resume the agent, then send the event again.",
  webhook_not_found: lookAgain,
  webhook_disabled: "Turn the webhook on again, then send what was missed.",
  delivery_not_found: lookAgain,
  // Accounts at the systems.
  connection_not_found: "Check the link, or choose another account.",
  connect_not_found: "Begin the sign-in again.",
  connection_removed: "Reconnect it. It keeps its id.",
  authentication_failed: "Check the credentials and the address, then connect again.",
  sign_in_not_configured: "Paste credentials instead, or ask the operator of this server to set up the sign-in.",
  // People, invites, keys, sign-in.
  project_required: "Open one of your projects first.",
  project_not_found: "Check the link, or choose one of your projects.",
  organization_not_found: "Sign in with an account of that organization.",
  user_not_found: lookAgain,
  hold_not_found: lookAgain,
  hold_released: "Nothing is left to do. To keep records from now on, put them on hold again.",
  invite_not_found: "It may have been accepted or deleted meanwhile. Reload the page.",
  invite_already_pending: "The role of an open invite cannot be changed: delete it, then invite again.",
  invite_already_accepted: "To take the access away, remove the person from the members.",
  invite_expired: "Ask an admin of the project to send it again.",
  already_member: "Change the role in the list of members.",
  user_deactivated: "The person has to be reactivated first, in your directory or by the operator of this server.",
  key_not_found: lookAgain,
  key_expired: "Create a new key.",
  key_revoked: "Create a new key.",
  key_restricted: "Use a key that is not narrowed to projects or a role.",
  session_not_found: lookAgain,
  sign_in_failed: "Check both, or ask for a link to set a new password.",
  sso_required: "Sign in through your organization's identity provider.",
  password_wrong: "Type it again, or ask for a link to set a new one on the sign-in page.",
  passwords_busy: moment,
  passkey_not_found: lookAgain,
  codes_not_found: "Set one up on the page of your account.",
  second_factor_required: "Add a passkey or one-time codes on the page of your account.",
  credentials_missing: "Sign in again.",
  // The organization.
  directory_not_found: lookAgain,
  directory_token_not_found: lookAgain,
  group_not_found: lookAgain,
  provider_not_found: lookAgain,
  domain_not_found: lookAgain,
  domain_already_named: "It is in the list already.",
  domain_unproven: "Add the TXT record that is shown, wait until the name servers have it, and verify again.",
  identity_not_found: lookAgain,
  provider_unreachable: "Try again later. If it stays so, test the provider on the page Organization.",
  // Any call.
  malformed_request: correct,
  validation_failed: correct,
  origin_refused: "Open the console at the public address of this server: the operator has set it as its base address.",
  unsupported_media_type: "Reload the page, then try again.",
  wrong_region: "Open the pages of the region where your organization is.",
  route_not_found: "Reload the page: this server may have been updated.",
  compute_exhausted: "Wait a minute, then try again. Simpler expressions and schemas take less.",
  idempotency_in_progress: "It is still under way. Wait a moment, then look before you try again.",
  unavailable: moment,
  // Sandboxes.
  sandboxes_not_own: "Ask the operator to start this server with sandboxes of its own.",
  fault_not_found: "It may have applied to all its calls already. Reload the page.",
};
