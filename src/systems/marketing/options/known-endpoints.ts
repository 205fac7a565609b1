import type { Method } from "../../work.ts";

/** The most common endpoints, as a drop-down offers them. */
export const knownEndpoints: readonly { method: Method; endpoint: string; label: string }[] = [
  { method: "GET", endpoint: "/rest/v1/leads.json", label: "Find leads" },
  { method: "POST", endpoint: "/rest/v1/leads.json", label: "Create or update leads" },
  { method: "GET", endpoint: "/rest/v1/activities/leadchanges.json", label: "Changes of leads" },
  { method: "GET", endpoint: "/rest/v1/campaigns.json", label: "List campaigns" },
  { method: "GET", endpoint: "/rest/v1/campaigns/{id}.json", label: "Read a campaign" },
  { method: "POST", endpoint: "/rest/v1/campaigns/{id}/trigger.json", label: "Trigger a campaign for leads" },
  { method: "POST", endpoint: "/rest/v1/campaigns/{id}/schedule.json", label: "Schedule a campaign" },
  { method: "GET", endpoint: "/rest/asset/v1/programs.json?type=email", label: "List e-mail programs" },
  { method: "GET", endpoint: "/rest/asset/v1/email/{id}/content.json", label: "Read an e-mail's content" },
  { method: "GET", endpoint: "/rest/asset/v1/email/byName.json?name={name}", label: "Find an e-mail by name" },
  { method: "POST", endpoint: "/rest/asset/v1/email/{id}/approveDraft.json", label: "Approve an e-mail's draft" },
  { method: "GET", endpoint: "/rest/asset/v1/program/{id}/stats.json", label: "Figures of a program" },
  { method: "GET", endpoint: "/rest/asset/v1/landingPage/{id}/stats.json", label: "Figures of a landing page" },
  { method: "GET", endpoint: "/rest/v1/activities/emailbounced.json", label: "Bounced e-mails" },
  { method: "GET", endpoint: "/rest/v1/activities/emailopened.json", label: "Opened e-mails" },
  { method: "GET", endpoint: "/rest/v1/lists.json", label: "List static lists" },
  { method: "GET", endpoint: "/rest/v1/lists/{id}/leads.json", label: "Members of a list" },
  { method: "POST", endpoint: "/rest/v1/lists/{id}/leads.json", label: "Add leads to a list" },
  { method: "DELETE", endpoint: "/rest/v1/lists/{id}/leads.json", label: "Remove leads from a list" },
  { method: "GET", endpoint: "/rest/v1/activities/pagingtoken.json", label: "Where to begin reading activities" },
  { method: "GET", endpoint: "/rest/v1/activities.json", label: "Activities of any kind" },
  { method: "GET", endpoint: "/rest/v1/stats/usage.json", label: "Calls of today" },
];
