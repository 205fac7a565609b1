import { type EventType, eventTypes, isAccountEvent } from "../src/webhooks/event-types.ts";
import { lines, notice, table } from "./markdown.ts";

/** docs/events.md, from the list of event types in the program. */
export const eventsDocument = (): string =>
  lines(
    "# Events",
    notice,
    "The events that Signalbox sends to the addresses of `webhooks/create`, as signed [Standard Webhooks](https://www.standardwebhooks.com) with `type`, `timestamp`, `organization_id`, `project_id` and `data`. An event is written in the transaction of its change, whether a call, an operator's command, a directory or Signalbox itself made that change. Delivery is attempted for three days; the event keeps its id over all attempts.",
    "A webhook of a project receives the events of that project; a webhook of the whole organization receives all. An event about an account goes once to the organization, and to every project that the person is in: to at most 1,000 webhooks of at most 1,000 projects. Those of the whole organization always receive it, with all that is known. In the event of a project, `data.details` has the person's `email` and, where the organization's has `projects_without_active_admin`, this list with that project or empty. `data.target` is the id of what changed. `data.by` is the account that changed it, or null for the operator. Events of runs, lost connections and limits have members of their own.",
    table(
      ["Type", "Means", "Sent to"],
      (Object.keys(eventTypes) as EventType[]).map((type) => [`\`${type}\``, eventTypes[type], sentTo(type)]),
    ),
    "`limit.exhausted` is sent once until the limit resets, not for every refused call, and only for limits that stay exhausted for more than a minute: `data` has `limit`, `connection_ids` and `resets_at`. `connection.needs_reconnect` has `connection_id`, `system`, `label` and `reason`. Events of runs have `run_id`, `tool_id`, `status`, the code of the `problem` and what the run waits for. A single step (`steps/{step_id}/run`) responds to its caller, so it is announced only if its outcome is unknown or its process died.",
  );

const sentTo = (type: EventType): string => {
  if (type === "webhook.test") return "the webhook that is tested";
  return isAccountEvent(type) ? "the organization, and the person's projects" : "the project, and the organization";
};
