import { expect, test } from "vitest";
import { driveWork } from "../../../../test/support/systems/drive-step.ts";
import { useMarketingSteps } from "../../../../test/support/systems/marketing-steps.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { marketingApiCall } from "../steps/marketing-api-call.ts";
import { marketing } from "../system.ts";

const sandbox = useMarketingSteps();

const post = (endpoint: string, body?: object) => ({ method: "POST", endpoint, ...(body && { body }) });
const change = async (endpoint: string, body?: object) =>
  ((await sandbox.call(post(endpoint, body))).output as { body: { result: object[] } }).body.result;

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(endpoint: string, body?: object, askedAt = new Date()) {
  const context = { intentId: "int_test", now: new Date(), identity: sandbox.at.identity, ...sentThen(askedAt) };
  const work = marketingApiCall.reconcile?.(marketingApiCall.input.parse(post(endpoint, body)), context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, marketing, sandbox.at);
  expect(requests.every(({ effect }) => effect === "read")).toBe(true);
  if (typeof result === "string") return result;
  return [(result.output as { body: { result: object[] } }).body.result, result.warnings];
}

const email = (id: unknown, verb: string) => `/rest/asset/v1/email/${id}/${verb}.json`;
const gone = [expect.stringContaining("is gone")];

test.each(["approveDraft", "discardDraft", "unapprove"])(
  "%s has happened if its versions show it, and they changed since",
  async (verb) => {
    const endpoint = email(sandbox.ids.email_with_draft_id, verb);
    expect(await lookFor(endpoint)).toBe("cannot tell");
    const result = await change(endpoint);
    expect(await lookFor(endpoint)).toEqual([result, undefined]);
    // It was like that before: nothing shows that this call did it.
    expect(await lookFor(endpoint, undefined, new Date(Date.now() + 60_000))).toBe("cannot tell");
  },
);

test("an asset that was deleted is gone, with the answer that was lost; one that is there was not deleted", async () => {
  for (const endpoint of [
    email(sandbox.ids.email_draft_only_id, "delete"),
    `/rest/asset/v1/staticList/${sandbox.ids.list_id}/delete.json`,
  ]) {
    expect(await lookFor(endpoint)).toBe("did not");
    const result = await change(endpoint);
    expect(await lookFor(endpoint)).toEqual([result, gone]);
  }
  expect(await lookFor("/rest/asset/v1/program/1/unapprove.json")).toBe("cannot tell");
});

test("a deleted folder is gone; a program with the same id is another one", async () => {
  const parent = { id: sandbox.ids.folder_id, type: "Folder" };
  const [made] = await change("/rest/asset/v1/folders.json", { name: "Empty", parent });
  const endpoint = `/rest/asset/v1/folder/${(made as { id: number }).id}/delete.json`;
  expect(await lookFor(endpoint, { type: "Folder" })).toBe("did not");
  const result = await change(endpoint, { type: "Folder" });
  expect(await lookFor(endpoint, { type: "Folder" })).toEqual([result, gone]);
  expect(await lookFor(endpoint)).toEqual([result, gone]);
  expect(await lookFor(endpoint, { type: "Program" })).toBe("cannot tell");
});

test.each([
  ["members/status", { statusName: "Clicked" }, "leadId"],
  ["status", { status: "Clicked" }, "id"],
])("a changed status of members is read back: %s", async (verb, body, name) => {
  const { email_program_id: program, lead_id: lead } = sandbox.ids;
  const at =
    verb === "status" ? `/rest/v1/leads/programs/${program}/${verb}.json` : `/rest/v1/programs/${program}/${verb}.json`;
  await change(`/rest/v1/programs/${program}/members/status.json`, { statusName: "Sent", input: [{ leadId: lead }] });
  const wish = { ...body, input: [{ [name]: lead }] };
  expect(await lookFor(at, wish)).toBe("cannot tell");
  const result = await change(at, wish);
  expect(await lookFor(at, wish)).toEqual([result, undefined]);
  expect(await lookFor(at, { ...wish, input: [{ [name]: lead }, { [name]: 99_999_999 }] })).toBe("cannot tell");
  expect(await lookFor(at, { ...body, input: [] })).toBe("cannot tell");
});

test("a deleted member of a program is gone; one that is there may have been restored", async () => {
  const { email_program_id: program, lead_id: leadId } = sandbox.ids;
  const input = [{ leadId }];
  await change(`/rest/v1/programs/${program}/members/status.json`, { statusName: "Sent", input });
  const endpoint = `/rest/v1/programs/${program}/members/delete.json`;
  expect(await lookFor(endpoint, { input })).toBe("cannot tell");
  const result = await change(endpoint, { input });
  expect(await lookFor(endpoint, { input })).toEqual([result, gone]);
});

test("deleted leads are gone, by their ids; some that are left cannot be told", async () => {
  const endpoint = "/rest/v1/leads/delete.json";
  const [one, two] = [{ id: sandbox.ids.lead_id }, { id: Number(sandbox.ids.lead_id) + 1 }];
  expect(await lookFor(endpoint, { input: [one, two] })).toBe("did not");
  const result = await change(endpoint, { input: [one] });
  expect(await lookFor(endpoint, { input: [one] })).toEqual([result, gone]);
  expect(await lookFor(endpoint, { input: [one, two] })).toBe("cannot tell");
});
