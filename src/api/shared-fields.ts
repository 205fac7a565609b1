import * as z from "zod";
import { type Email, readEmail } from "../access/email.ts";
import { actionRoles, type Permissions, readPermissions } from "../access/permissions.ts";
import { idShape } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { lastMoment } from "../kernel/times.ts";

/** Members that several operations share, with their checks and descriptions. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not hold.
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const oneLine = (charactersMax: number) =>
  z
    .string()
    .trim()
    .max(charactersMax)
    .refine((text) => !controlCharacters.test(text), { error: "Control characters are not allowed." });

export const nameField = oneLine(200).min(1).meta({ description: "One line, 1 to 200 characters" });
export const labelField = oneLine(200).meta({ description: "One line, up to 200 characters" });
// PostgreSQL cannot store this character in a text, so it is refused.
const noNul = (text: string): boolean => !text.includes("\u0000");
export const descriptionField = z
  .string()
  .max(2000)
  .refine(noNul, { error: "The character U+0000 is not allowed." })
  .meta({ description: "Up to 2,000 characters" });

export const waitSecondsField = z
  .number()
  .min(0)
  .max(300)
  .default(50)
  .meta({ description: "How long to wait for the end of the run" });

export const idField = z
  .string()
  .min(1)
  .max(128)
  .regex(idShape, { error: "An id is made of visible ASCII characters." });
export const timeField = z.string().meta({ format: "date-time" });

/** For changes that are based on what was read before. */
export const ifUpdatedAtField = z.string().max(40).optional().meta({
  description: "The `updated_at` that the change is based on; if the record has changed since, the call is refused",
});

export const emailField = z
  .string()
  .meta({ description: "Address of the person", format: "email" })
  .transform((text, context): Email => {
    const email = readEmail(text);
    if (email) return email;
    context.addIssue({ code: "custom", message: "This is not an address that mail can be sent to." });
    return z.NEVER;
  });

const permissionsShape = {
  id: "Permissions",
  type: "object",
  description: "What is granted. Full replacement: an action that is absent or false is not granted.",
  properties: {
    items: {
      type: "object",
      properties: {
        platformDefault: {
          type: "object",
          properties: {
            actions: {
              type: "object",
              description: "At least one must be true.",
              properties: Object.fromEntries(Object.keys(actionRoles).map((action) => [action, { type: "boolean" }])),
              additionalProperties: false,
            },
          },
          required: ["actions"],
          additionalProperties: false,
        },
      },
      required: ["platformDefault"],
      additionalProperties: false,
    },
  },
  required: ["items"],
  additionalProperties: false,
};

export const permissionsField = z
  .unknown()
  .meta(permissionsShape)
  .transform((value, context): Permissions => {
    const read = readPermissions(value);
    if ("permissions" in read) return read.permissions;
    for (const { pointer, code, detail, kind } of read.errors) {
      context.addIssue({
        code: "custom",
        message: detail,
        path: pointer.split("/").slice(1).map(unescapePointer),
        params: { kind, code },
      });
    }
    return z.NEVER;
  });

/** The wire form in responses: granted actions only. */
export const permissionsAnswer = z
  .object({
    items: z.object({ platformDefault: z.object({ actions: z.record(z.string(), z.boolean()) }) }),
  })
  .meta({ id: "GrantedPermissions", description: "The granted actions" });

const unescapePointer = (segment: string): string => segment.replaceAll("~1", "/").replaceAll("~0", "~");

export const expiryField = z.iso.datetime({ offset: true }).meta({ description: "RFC 3339, in the future" });

/** Returns an expiry in UTC. Throws if it is in the past. */
export function requireFuture(value: string, now: Date, pointer = "#/expires_at"): string {
  const time = Date.parse(value);
  if (time > now.getTime()) return new Date(Math.min(time, lastMoment)).toISOString();
  throw new Problem("validation_failed", "The expiry has passed already.", {
    errors: [{ pointer, code: "in_the_past", detail: "Give a time in the future." }],
  });
}
