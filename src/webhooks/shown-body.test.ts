import { expect, test } from "vitest";
import { shownBody } from "./shown-body.ts";

const codes = { shown: (stored: string) => `shown ${stored}` };

test.each([
  ["invite.created", '{"data":{"target":"inv_1","by":"usr_1"}}', '{"data":{"target":"shown inv_1","by":"usr_1"}}'],
  ["invite.created", '{"data":{"target":null}}', '{"data":{"target":null}}'],
  ["run.failed", '{"data":{"target":"run_1"}}', '{"data":{"target":"run_1"}}'],
])("the body of %s is sent with the code of its invite", (type, body, sent) => {
  expect(shownBody({ type, body }, codes)).toBe(sent);
});
