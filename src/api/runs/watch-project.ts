import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { operation } from "../../calls/define-operation.ts";

const cursorField = z.string().min(1).max(64).meta({
  description:
    "Names the state of the project: it is another after each change of a run, a connection or a published tool",
});

/** What changes in a project, without asking again and again. */
export const watchOperations = [
  operation({
    path: "/latest/projects/watch",
    area: "projects",
    summary: "Watch the changes of a project as they happen",
    description:
      "Returns the current cursor of the project, and whether it differs from the one you send. With `Accept: text/event-stream` it returns a stream of server-sent events: first `ready`, then `change` for each change. Both have `{runs, connections, tools}`: the ids of what changed, or null if anything of that kind may have changed. The `id` of an event is the cursor. Send the last one as `since` to learn whether something changed while you were disconnected. A comment is sent every 15 seconds. The stream ends when you can no longer read the project, when the server stops, or when you read too slowly; then open it again. An account can have 20 streams.",
    needs: "project viewer",
    audit: null,
    refuses: ["too_many_streams"],
    input: z.object({
      since: cursorField.optional().meta({ description: "The cursor that you know" }),
    }),
    output: z.object({
      cursor: cursorField,
      has_changed: z.boolean().meta({ description: "Whether the cursor is another than `since`" }),
    }),
    example: {},
    async run(scope, { since }, { webhooks }) {
      const cursor = await webhooks.live.cursor(projectOf(scope));
      return { cursor, has_changed: cursor !== since };
    },
    stream: (scope, { since }, { webhooks }) => {
      const { organizationId, userId } = scope.actor;
      return webhooks.live.open({ organizationId, userId, projectId: projectOf(scope) }, since ?? null);
    },
  }),
];
