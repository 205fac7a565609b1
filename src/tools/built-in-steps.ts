import * as z from "zod";
import { waits } from "../systems/index.ts";

const lastMoment = Date.UTC(9999, 0, 1);

const timeoutField = z.number().min(1).max(86_400).optional();

/** What a tool can do beside calling steps. These are words of tools, not steps: nothing is changed at a system. */
export const builtInSteps: Readonly<Record<string, { input: z.ZodType }>> = {
  wait: {
    input: z
      .strictObject({
        seconds: z.number().min(0).max(31_536_000).optional(),
        until: z.iso
          .datetime({ offset: true })
          // Times are compared as texts, and with an offset the last day of 9999 falls into a year with five digits.
          .refine((text) => Date.parse(text) <= lastMoment, { error: "It lies too far ahead." })
          .optional(),
      })
      .refine(({ seconds, until }) => (seconds === undefined) !== (until === undefined), {
        error: "Give either `seconds` or `until`.",
      }),
  },
  ...Object.fromEntries(waits.map(({ id, input }) => [id, { input: input.extend({ timeout_seconds: timeoutField }) }])),
  approve: {
    input: z.strictObject({
      message: z.string().min(1).max(2_000),
      /** The role that may approve. */
      role: z.enum(["editor", "admin"]).optional(),
    }),
  },
};

export const isBuiltInStep = (step: string): boolean => Object.hasOwn(builtInSteps, step);
