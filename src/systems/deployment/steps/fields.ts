import * as z from "zod";

export const states = [
  "QUEUED",
  "INITIALIZING",
  "BUILDING",
  "READY",
  "ERROR",
  "CANCELED",
  "BLOCKED",
  "DELETED",
] as const;

/** "Final: READY, ERROR, CANCELED (and DELETED). BLOCKED waits for a person." Any other word is not final. */
export const isFinal = (state: string): boolean => ["READY", "ERROR", "CANCELED", "DELETED"].includes(state);

const noDevelopment =
  "The platform has no development deployments: choose `production` or `preview`. `development` is right for variables.";

export const environmentField = z.enum(["production", "preview"], {
  error: ({ input }) => (input === "development" ? noDevelopment : undefined),
});

export const projectField = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ title: "Project", description: "Id or name of the project" });

export const Deployment = z.object({
  deployment_id: z.string().meta({ description: "Id of the deployment" }),
  url: z.string().meta({ description: "Where this deployment is served" }),
  state: z.string().meta({ description: "QUEUED, INITIALIZING, BUILDING, READY, ERROR, CANCELED or BLOCKED" }),
  environment: z.string().meta({ description: "`production`, `preview`, or another environment of the project" }),
  created_at: z.string().meta({ description: "When it was created" }),
});

/** A time as RFC 3339, as a day, or in milliseconds since 1970, as a number or text; null otherwise. */
export function readMoment(value: string | number): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : null;
  const text = value.trim();
  if (/^\d{10,16}$/.test(text)) return Number(text);
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

export const commitField = z.string().regex(/^[0-9a-f]{7,64}$/i, "Write the commit's hash.");

export const momentField = z.union([z.string(), z.number()]).superRefine((value, context) => {
  if (readMoment(value) !== null) return;
  const message = "Write a time such as 2026-03-01T09:00:00Z, a day, or milliseconds since 1970.";
  context.addIssue({ code: "custom", message });
});
