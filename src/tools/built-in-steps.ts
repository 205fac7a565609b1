import * as z from "zod";

const lastMoment = Date.UTC(9999, 0, 1);

/** What a tool can do beside calling steps. These are words of tools, not steps: nothing is sent. */
export const builtInSteps = {
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
  wait_for_deployment: {
    input: z.strictObject({
      deployment_id: z.string().min(1).max(200),
      timeout_seconds: z.number().min(1).max(86_400).optional(),
    }),
  },
  approve: {
    input: z.strictObject({
      message: z.string().min(1).max(2_000),
      /** The role that may approve. */
      role: z.enum(["editor", "admin"]).optional(),
    }),
  },
} as const;

export type BuiltInStep = keyof typeof builtInSteps;

export const isBuiltInStep = (step: string): step is BuiltInStep => Object.hasOwn(builtInSteps, step);
