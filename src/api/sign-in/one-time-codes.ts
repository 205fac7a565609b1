import * as z from "zod";
import { endEnrolling } from "../../access/callers/sessions.ts";
import { operation } from "../../calls/define-operation.ts";
import { withinTries } from "../../identity/count-wrong-codes.ts";
import { beginCodes, confirmCodes, removeCodes } from "../../identity/second-factor/one-time-codes.ts";
import { qrRows } from "../../identity/second-factor/qr.ts";

export const codeOperations = [
  operation({
    path: "/latest/auth/codes/begin",
    area: "sign_in",
    summary: "Start to set up one-time codes",
    description:
      "Returns a new secret for an authenticator app (RFC 6238: SHA-1, six digits, thirty seconds). It takes effect once `auth/codes/confirm` has received a code from it.",
    needs: "full key",
    confirmed: true,
    whileEnrolling: true,
    audit: "codes.begun",
    countsAs: "write",
    refuses: [],
    answersSecret: true,
    input: z.object({}),
    output: z.object({
      secret: z.string().meta({ description: "To type into an app that cannot read the QR code" }),
      uri: z.string().meta({ description: "The same as an `otpauth` URI" }),
      qr: z.array(z.string()).meta({ description: "The same as a QR code: rows of dark (1) and light (0) squares" }),
    }),
    example: {},
    async run(scope, _input, rooms) {
      const begun = await beginCodes(scope, scope.actor, rooms.vault.keys);
      return { ...begun, qr: qrRows(begun.uri) };
    },
    auditOf: () => ({}),
  }),
  operation({
    path: "/latest/auth/codes/confirm",
    area: "sign_in",
    summary: "Turn one-time codes on, with the first code of the app",
    description: "From now on a sign-in with the password asks for a code. An app that was set up before is replaced.",
    needs: "full key",
    confirmed: true,
    whileEnrolling: true,
    audit: "codes.added",
    countsAs: "write",
    refuses: ["codes_not_found", "code_refused"],
    answersSecret: true,
    input: z.object({
      code: z
        .string()
        .regex(/^\d{3} ?\d{3}$/)
        .meta({ description: "Six digits, as the app shows them now" }),
    }),
    output: z.object({
      recovery_codes: z
        .array(z.string())
        .meta({ description: "For use if the app is lost; each works once. Shown only once" }),
    }),
    example: { code: "123456" },
    async run(scope, input, rooms) {
      const { userId, keyId, enrolling } = scope.actor;
      const code = input.code.replace(" ", "");
      const codes = await withinTries(rooms.limits, `codes:${userId}`, scope.ip, () =>
        confirmCodes(scope.db, userId, code, scope.now(), rooms.vault.keys),
      );
      if (enrolling) scope.setSession?.(await endEnrolling(scope.db, keyId));
      return { recovery_codes: codes };
    },
    auditOf: () => ({}),
  }),
  operation({
    path: "/latest/auth/codes/remove",
    area: "sign_in",
    summary: "Turn one-time codes off",
    description: "Also deletes the recovery codes.",
    needs: "full key",
    confirmed: true,
    audit: "codes.removed",
    countsAs: "write",
    refuses: ["codes_not_found", "last_second_factor"],
    input: z.object({}),
    output: z.object({ removed: z.literal(true) }),
    example: {},
    async run(scope) {
      const { userId, organizationId } = scope.actor;
      await removeCodes(scope.db, { id: userId, organizationId });
      return { removed: true as const };
    },
    auditOf: () => ({}),
  }),
];
