import { type EventType, eventTypes, isAccountEvent } from "../src/webhooks/event-types.ts";
import { lines, notice, table } from "./markdown.ts";

/** What webhooks can be told, from the list that the program itself goes by. */
export const eventsDocument = (): string =>
  lines(
    "# Events",
    notice,
    "What Signalbox tells the addresses that `webhooks/create` names, as [Standard Webhooks](https://www.standardwebhooks.com): `type`, `timestamp`, `organization_id`, `project_id` and `data`, signed. Each is written in the transaction of what it tells of, by whomever that was caused: a call, the operator's command, a directory, or Signalbox itself. It is tried for three days, and keeps its id over all tries.",
    "A webhook of a project hears of that project; one of the whole organization hears of all. What becomes of an account is told to the organization once, and to every project that the person is in. `data.target` is the id of what it is about, `data.by` who did it, or null for the operator; runs, connections that are lost and limits have members of their own.",
    table(
      ["Type", "Means", "Told to"],
      (Object.keys(eventTypes) as EventType[]).map((type) => [`\`${type}\``, eventTypes[type], toldTo(type)]),
    ),
    "`limit.exhausted` comes once until the limit starts anew, not with every call that is refused, and only for limits that stay used up for more than a minute: `data` has `limit`, `connection_ids` and `resets_at`. `connection.needs_reconnect` comes with the `connection_id`, its `system`, `label` and the `reason`. Events of runs have `run_id`, `tool_id`, `status`, the code of the `problem` and what is waited for; a call of one step (`steps/{step_id}/run`) is answered to its caller, and told only where its outcome is unknown or its process died.",
  );

const toldTo = (type: EventType): string => {
  if (type === "webhook.test") return "the webhook that is tested";
  return isAccountEvent(type) ? "the organization, and the person's projects" : "the project, and the organization";
};
