import { expect, test } from "vitest";
import * as z from "zod";
import "./validation-sentences.ts";

const saidOf = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

test.each<[string, z.ZodType, unknown, string]>([
  ["a missing member", z.object({ name: z.string() }), {}, "This member is required."],
  ["another type", z.string(), 5, "Expected a string, received a number."],
  ["null", z.object({}), null, "Expected an object, received null."],
  ["a list", z.record(z.string(), z.string()), [], "Expected an object, received an array."],
  ["a fraction", z.int(), 1.5, "Expected an integer, received a number."],
  ["too large", z.number().max(100), 101, "It must be at most 100."],
  ["too small", z.number().positive(), 0, "It must be more than 0."],
  ["an empty text", z.string().min(1), "", "It must not be empty."],
  ["a short text", z.string().min(3), "ab", "It must have at least 3 characters."],
  ["a long list", z.array(z.string()).max(1), ["a", "b"], "It must have at most 1 item."],
  ["a word that is not offered", z.enum(["a", "b", "c"]), "d", 'It must be one of "a", "b" or "c".'],
  ["another constant", z.literal("a"), "b", 'It must be "a".'],
  ["a member too many", z.strictObject({}), { x: 1 }, 'There is no member "x" here.'],
  ["no form that fits", z.union([z.string(), z.number()]), true, "It has none of the allowed forms."],
  ["another form", z.string().regex(/^a$/), "b", "It does not have the expected form."],
  ["no time", z.iso.datetime(), "now", "It is not a time such as 2027-01-31T09:00:00Z."],
  ["a schema with its own message", z.string("Name it."), 1, "Name it."],
])("%s is explained in plain words", (_, schema, value, said) => {
  expect(saidOf(schema, value)).toBe(said);
});
