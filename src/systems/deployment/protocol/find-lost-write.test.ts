import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { driveStep, driveWork } from "../../../../test/support/systems/drive-step.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { deploymentApiCall } from "../steps/deployment-api-call.ts";
import { deployment } from "../system.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

type Output = { status: number; body: Record<string, string> };
const call = async (method: string, path: string, body?: object) =>
  (await driveStep(deploymentApiCall, { method, path, ...(body && { body }) }, steps.at)).output as Output;

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(method: string, path: string, body?: object, more: object = {}) {
  const identity = { ...steps.at.identity, user_id: steps.ids.user_id ?? "" };
  const context = { intentId: "int_test", now: new Date(), identity, ...sentThen(), ...more };
  const input = deploymentApiCall.input.parse({ method, path, ...(body && { body }) });
  const work = deploymentApiCall.reconcile?.(input, context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, deployment, steps.at);
  expect(requests.every(({ effect, query }) => effect === "read" && query?.teamId !== undefined)).toBe(true);
  if (typeof result === "string") return result;
  const { output, warnings, names } = result;
  return { ...(output as Output), warnings, names };
}

const aRecord = async () =>
  (await call("POST", "/v2/domains/acme.example/records", { name: "lost", type: "A", value: "192.0.2.1" })).body.uid;
const aCertificate = async () => (await call("POST", "/v8/certs", { cns: ["www.acme.example"] })).body.id;

const gone = [expect.stringContaining("is gone")];

describe("a delete whose answer was lost is read back", () => {
  test.each<[string, string, () => Promise<string>]>([
    [
      "a deployment",
      "did not",
      async () => `/v13/deployments/${(await steps.make({ project: "web" })).output.deployment_id}`,
    ],
    [
      "a project by its id",
      "did not",
      async () => `/v9/projects/${(await call("POST", "/v10/projects", { name: "gone" })).body.id}`,
    ],
    [
      "a webhook",
      "did not",
      async () => {
        const body = { url: "https://hooks.example.com", events: ["deployment.created"] };
        return `/v1/webhooks/${(await call("POST", "/v1/webhooks", body)).body.id}`;
      },
    ],
    ["a variable", "did not", async () => `/v9/projects/web/env/${steps.ids.env_id}`],
    ["a DNS record", "did not", async () => `/v2/domains/acme.example/records/${await aRecord()}`],
    ["a certificate", "did not", async () => `/v8/certs/${await aCertificate()}`],
    ["a certificate by an old path", "did not", async () => `/v3/certs/${await aCertificate()}`],
    // Somebody may have made another one of that name since.
    [
      "a domain of the account",
      "cannot tell",
      async () => {
        await call("POST", "/v7/domains", { name: "gone.example" });
        return "/v6/domains/gone.example";
      },
    ],
    [
      "an alias",
      "cannot tell",
      async () => {
        await call("POST", `/v2/deployments/${steps.ids.deployment_id}/aliases`, { alias: "gone.vercel.app" });
        return "/v2/aliases/gone.vercel.app";
      },
    ],
    [
      "a project by its name",
      "cannot tell",
      async () => `/v9/projects/${(await call("POST", "/v10/projects", { name: "gone" })).body.name}`,
    ],
    [
      "a domain",
      "cannot tell",
      async () => {
        await call("POST", "/v10/projects/web/domains", { name: "gone.acme.example" });
        return "/v9/projects/web/domains/gone.acme.example";
      },
    ],
  ])("%s: what is still there is %s, and what is gone has the answer that was lost", async (_, still, make) => {
    const path = await make();
    expect(await lookFor("DELETE", path)).toBe(still);
    const { status, body } = await call("DELETE", path);
    const found = await lookFor("DELETE", path);
    expect(found).toMatchObject({ status, warnings: gone });
    // The answer of a deleted variable shows all of it, which nothing shows any more.
    if (path.startsWith("/v6/domains/")) expect(found).toMatchObject({ body: {} });
    else if (path.includes("/env/")) expect(found).toMatchObject({ body: { id: body.id } });
    else expect(found).toMatchObject({ body });
  });

  test("another deployment than the one in the path cannot be told", async () => {
    expect(await lookFor("DELETE", `/v13/deployments/${steps.ids.deployment_id}?url=web.example`)).toBe("cannot tell");
  });
});

describe("a change whose answer was lost is read back", () => {
  test("a project has the values, or somebody may have changed them since", async () => {
    const change = { framework: "nextjs", buildCommand: null };
    await call("PATCH", "/v9/projects/web", { framework: "vite" });
    expect(await lookFor("PATCH", "/v9/projects/web", change)).toBe("cannot tell");
    const { body } = await call("PATCH", "/v9/projects/web", change);
    expect(await lookFor("PATCH", "/v9/projects/web", change)).toMatchObject({ status: 200, body: { id: body.id } });
  });

  test("a cancelled deployment is CANCELED, and any other was not cancelled", async () => {
    const { deployment_id } = (await steps.make({ project: "web" })).output;
    const path = `/v12/deployments/${deployment_id}/cancel`;
    expect(await lookFor("PATCH", path)).toBe("did not");
    await call("PATCH", path);
    expect(await lookFor("PATCH", path)).toMatchObject({ status: 200, body: { readyState: "CANCELED" } });
  });

  test("a DNS record has the values", async () => {
    const path = `/v1/domains/records/${await aRecord()}`;
    expect(await lookFor("PATCH", path, { value: "192.0.2.2" })).toBe("cannot tell");
    await call("PATCH", path, { value: "192.0.2.2" });
    expect(await lookFor("PATCH", path, { value: "192.0.2.2" })).toMatchObject({ body: { value: "192.0.2.2" } });
  });

  test("a domain has the values, and is verified or not", async () => {
    const path = "/v9/projects/web/domains/changed.elsewhere.example";
    await call("POST", "/v10/projects/web/domains", { name: "changed.elsewhere.example" });
    expect(await lookFor("PATCH", path, { gitBranch: "develop" })).toBe("cannot tell");
    await call("PATCH", path, { gitBranch: "develop" });
    expect(await lookFor("PATCH", path, { gitBranch: "develop" })).toMatchObject({ body: { gitBranch: "develop" } });
    expect(await lookFor("POST", `${path}/verify`)).toBe("did not");
    await steps.control("/clock", { advance_seconds: 3600 });
    const answer = await call("POST", `${path}/verify`);
    expect(await lookFor("POST", `${path}/verify`)).toMatchObject({ status: 200, body: answer.body });
  });
});

describe("a write to variables whose answer was lost is read back", () => {
  const env = "/v10/projects/web/env";
  const variable = (more: object = {}) => ({ key: "A", value: "1", type: "plain", target: ["preview"], ...more });
  const upsert = (body: object) => call("POST", `${env}?upsert=true`, body);
  const lookForUpsert = (body: object, more: object = {}) => lookFor("POST", `${env}?upsert=true`, body, more);

  test("a plain one shows its value", async () => {
    expect(await lookForUpsert(variable())).toBe("cannot tell");
    const { status, body } = await upsert(variable());
    expect(await lookForUpsert(variable())).toMatchObject({ status, body });
    expect(await lookForUpsert(variable({ target: "preview" }))).toMatchObject({ status });
    expect(await lookForUpsert(variable({ value: "2" }))).toBe("cannot tell");
    expect(await lookForUpsert(variable({ target: ["preview", "development"] }))).toBe("cannot tell");
    // Without `upsert` it only creates, and the one that is there may be another one.
    expect(await lookFor("POST", env, variable())).toBe("cannot tell");
  });

  test("of several, all must have happened", async () => {
    const batch = [variable(), variable({ key: "B" })];
    await upsert(variable());
    expect(await lookForUpsert(batch)).toBe("cannot tell");
    const { body } = await upsert(batch);
    expect(await lookForUpsert(batch)).toMatchObject({ status: 201, body });
  });

  test.each(["encrypted", "sensitive"])("%s: it shows only when it was changed, and by whom", async (type) => {
    await upsert(variable({ type }));
    await steps.control("/clock", { advance_seconds: 600 });
    const now = Date.now() + 600_000;
    const at = (seconds: number, more: object = {}) => ({ ...sentThen(new Date(now + seconds * 1000)), ...more });
    expect(await lookForUpsert(variable({ type }), at(-60))).toBe("cannot tell");
    const { body } = await upsert(variable({ type, value: "2" }));
    const wish = variable({ type, value: "2" });
    expect(await lookForUpsert(wish, at(-60))).toMatchObject({ status: 201, body });
    expect(await lookForUpsert(wish, at(60))).toBe("cannot tell");
    expect(await lookForUpsert(wish, at(-600))).toBe("cannot tell");
    expect(await lookForUpsert(wish, at(-60, { identity: { label: "", user_id: "another" } }))).toBe("cannot tell");
    expect(await lookForUpsert(wish, at(-60, { identity: { label: "" } }))).toBe("cannot tell");
  });

  test("a changed one has the values that were sent", async () => {
    const path = `/v9/projects/web/env/${steps.ids.env_id}`;
    expect(await lookFor("PATCH", path, { value: "2" })).toBe("cannot tell");
    expect(await lookFor("PATCH", path, { comment: "New" })).toBe("cannot tell");
    const { body } = await call("PATCH", path, { value: "2", comment: "New" });
    expect(await lookFor("PATCH", path, { value: "2", comment: "New" })).toMatchObject({ status: 200, body });
    expect(await lookFor("PATCH", path, { value: "2", comment: "Old" })).toBe("cannot tell");
    expect(await lookFor("PATCH", `${path}-unknown`, { value: "2" })).toBe("cannot tell");
  });

  const namesOf = (
    which: "ambiguousNames" | "writtenNames",
    method: string,
    path: string,
    body: unknown,
    user_id = steps.ids.user_id ?? "",
  ) => deploymentApiCall[which]?.(deploymentApiCall.input.parse({ method, path, body }), { label: "", user_id });

  test("changes by an id, and writes whose values stay hidden, may be another run's", () => {
    const names = (method: string, path: string, body: unknown) => namesOf("ambiguousNames", method, path, body);
    expect(names("PATCH", "/v9/projects/web/env/e1", { value: "2" })).toEqual(["variable e1"]);
    // It moves the time of the last change, too.
    expect(names("PATCH", "/v9/projects/web/env/e1", { comment: "New" })).toEqual(["variable e1"]);
    const secret = variable({ type: "sensitive" });
    expect(names("POST", `${env}?upsert=true`, [secret, secret, variable({ key: "B" })])).toEqual([
      `variable ${steps.ids.user_id} web A`,
    ]);
    expect(names("POST", env, secret)).toEqual([]);
    expect(names("PATCH", "/v9/projects/web", { framework: "vite" })).toEqual([]);
  });

  // "No other open intent for the same name in any run": every write of a variable counts, by its key, of any target, or by its id.
  test("every write is recorded under the names by which others may find it", async () => {
    const written = (method: string, path: string, body: unknown) => namesOf("writtenNames", method, path, body) ?? [];
    const wish = variable({ type: "encrypted", value: "2" });
    const { body } = await upsert(wish);
    const project = (await call("GET", "/v9/projects/web")).body;
    const id = (body.created as unknown as Record<string, string>).id ?? "";
    const found = (await lookForUpsert(wish)) as { names?: string[] };
    const byOthers: [method: string, path: string, body: object][] = [
      ["POST", env, variable({ target: ["production", "preview"] })],
      ["POST", `${env}?upsert=true`, [variable({ target: "production" }), variable({ key: "B" })]],
      ["POST", `/v9/projects/${project.id}/env?upsert=true`, wish],
      ["PATCH", `/v9/projects/web/env/${id}`, { target: ["preview"] }],
    ];
    for (const [method, path, sent] of byOthers) {
      const names = written(method, path, sent);
      expect(
        found.names?.some((name) => names.includes(name)),
        `${method} ${path}`,
      ).toBe(true);
    }
    expect(written("POST", env, variable({ key: "C" })).some((name) => found.names?.includes(name))).toBe(false);
    expect(written("GET", env, undefined)).toEqual([]);

    await call("PATCH", `/v9/projects/web/env/${id}`, { value: "3" });
    const changed = (await lookFor("PATCH", `/v9/projects/web/env/${id}`, { value: "3" })) as { names?: string[] };
    const others = written("POST", `/v9/projects/${project.id}/env?upsert=true`, wish);
    expect(changed.names?.some((name) => others.includes(name))).toBe(true);
    // It was there before: who created it has not changed it since.
    const creation = written("POST", env, wish);
    expect(changed.names?.some((name) => creation.includes(name))).toBe(false);
  });

  // "Unbounded work in one turn": the caller decides how many variables there are, and each name is a row of the store.
  test("very many in one request are recorded under one name, by which each is found", async () => {
    const wish = variable({ type: "encrypted", value: "2" });
    await upsert(wish);
    const found = (await lookForUpsert(wish)) as { names?: string[] };
    const many = Array.from({ length: 101 }, (_, index) => variable({ key: `K${index}`, type: "encrypted" }));
    const names = namesOf("writtenNames", "POST", `${env}?upsert=true`, many) ?? [];
    expect(names).toHaveLength(1);
    expect(found.names).toEqual(expect.arrayContaining([...names]));
    expect(namesOf("ambiguousNames", "POST", `${env}?upsert=true`, many)).toEqual([]);
  });

  // "No organization can slow down, stop or see the work of another": projects of two teams may have the same name.
  test("a project of another user with the same name does not matter, unless the account does not know its user", async () => {
    const wish = variable({ type: "encrypted", value: "2" });
    await upsert(wish);
    const found = (await lookForUpsert(wish)) as { names?: string[] };
    const isFound = (user?: string) =>
      namesOf("writtenNames", "POST", `${env}?upsert=true`, wish, user)?.some((name) => found.names?.includes(name));
    expect([isFound(), isFound("another"), isFound("")]).toEqual([true, false, true]);
  });

  test("a key that is no text is the platform's to refuse", async () => {
    const body = { key: { toString: 1 }, value: "2" };
    expect(namesOf("writtenNames", "POST", env, body)).toHaveLength(1);
    expect(namesOf("ambiguousNames", "POST", `${env}?upsert=true`, body)).toHaveLength(1);
  });
});
