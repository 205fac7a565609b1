import * as z from "zod";
import { plainIssue } from "./validation-sentences.ts";

/**
 * A JSON object with any members. Unlike `z.record`, it neither visits nor copies them: with tens of thousands of
 * members that takes more than 50 ms of the event loop.
 */
export const anyObject = () =>
  z
    .custom<Record<string, unknown>>(isObject, {
      params: { kind: "shape", code: "invalid_type" },
      abort: true,
      error: ({ input }) => plainIssue({ code: "invalid_type", expected: "object", input }),
    })
    // It would become the prototype of whatever it is assigned to.
    .refine((object) => !Object.hasOwn(object, "__proto__"), 'A member cannot have the name "__proto__".')
    .meta({ type: "object", propertyNames: { type: "string" }, additionalProperties: {} });

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
