import * as z from "zod";
import { endSessionsOf, listSessions, revokeSession, type Session } from "../../access/callers/sessions.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { idField, timeField } from "../shared-fields.ts";

const sessionRecord = z.object({
  session_id: z.string(),
  method: z
    .string()
    .meta({ description: "How the person signed in: password, password_and_code, passkey, oidc, saml or sign_up" }),
  current: z.boolean().meta({ description: "Whether it is the one of this call" }),
  ip: z.string().nullable(),
  user_agent: z.string().meta({ description: "The browser's `User-Agent`" }),
  created_at: timeField,
  last_seen_at: timeField.meta({ description: "To within some seconds" }),
  expires_at: timeField,
});
z.globalRegistry.add(sessionRecord, { id: "Session" });

const toRecord = (session: Session, currentId: string) => ({
  session_id: session.id,
  method: session.method,
  current: session.id === currentId,
  ip: session.ip,
  user_agent: session.userAgent,
  created_at: session.createdAt,
  last_seen_at: session.lastSeenAt,
  expires_at: session.expiresAt,
});

export const sessionOperations = [
  operation({
    path: "/latest/auth/sessions/list",
    area: "sessions",
    summary: "List where you are signed in",
    needs: "full key",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(sessionRecord),
    example: {},
    async run(scope, input) {
      const rows = await listSessions(scope.db, scope.actor.userId, scope.now(), onePageOf(input));
      return toPage(
        rows,
        input.limit,
        (row) => row.id,
        (row) => toRecord(row, scope.actor.keyId),
      );
    },
  }),
  operation({
    path: "/latest/auth/sessions/revoke",
    area: "sessions",
    summary: "End a session of yours, or all others",
    description: "Without `session_id`, every session but the one of this call.",
    needs: "full key",
    audit: "session.revoked",
    countsAs: "write",
    refuses: ["session_not_found"],
    input: z.object({ session_id: idField.optional() }),
    output: z.object({ sessions_ended: z.int() }),
    example: {},
    async run(scope, input) {
      const now = scope.now().toISOString();
      const { userId, keyId } = scope.actor;
      if (input.session_id === undefined) return { sessions_ended: await endSessionsOf(scope.db, userId, now, keyId) };
      await revokeSession(scope.db, userId, input.session_id, now);
      return { sessions_ended: 1 };
    },
    auditOf: (input, output) => ({
      target: input.session_id ?? null,
      details: { sessions_ended: output.sessions_ended },
    }),
  }),
  operation({
    path: "/latest/auth/sign_out",
    area: "sessions",
    summary: "Sign out: end the session of this call",
    description: "A call with an API key has no session to end.",
    needs: "account",
    whileEnrolling: true,
    audit: "session.ended",
    countsAs: "write",
    refuses: [],
    input: z.object({}),
    output: z.object({ signed_out: z.boolean() }),
    example: {},
    async run(scope) {
      const { actor } = scope;
      if (actor.by !== "session") return { signed_out: false };
      await revokeSession(scope.db, actor.userId, actor.keyId, scope.now().toISOString());
      scope.setSession?.(null);
      return { signed_out: true };
    },
    auditOf: () => ({}),
  }),
];
