import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { startAnalytics } from "../../../test/support/systems/analytics-sandbox.ts";
import { driveStep, driveWork } from "../../../test/support/systems/drive-step.ts";
import type { Step } from "../define.ts";
import { analyticsApiCall } from "./steps/analytics-api-call.ts";
import { createKeyEvents } from "./steps/create-key-events.ts";
import { createProperties } from "./steps/create-properties.ts";
import { runReports } from "./steps/run-reports.ts";
import { analytics } from "./system.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const steps = [runReports, createKeyEvents, createProperties, analyticsApiCall];
const examples = steps.flatMap((step) => step.examples.map((example) => ({ step, ...example })));

describe("the examples work as they stand", () => {
  test.each(examples.map((each) => [each.step.id, each.title, each] as const))(
    "%s: %s",
    async (_, __, { step, input }) => {
      const { output } = await driveStep(step, input, sandbox.as("administrator"));
      expect(output).toBeTypeOf("object");
      const { rows } = output as { rows?: unknown[] };
      if (rows) expect(rows.length).toBeGreaterThan(0);
    },
  );

  test.each(steps.map((step) => [step.id, step] as const))("%s needs no more than it says", async (_, step) => {
    const role = step.needsLevel ?? "administrator";
    for (const { input } of step.examples) await driveStep(step, input, sandbox.as(role));
  });
});

describe("the definitions", () => {
  test.each(steps.map((step) => [step.id, step] as const))(
    "%s explains every member of its input and output",
    (_, step) => {
      for (const [schema, io] of [
        [step.input, "input"],
        [step.output, "output"],
      ] as const) {
        const { properties = {} } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
        for (const [name, member] of Object.entries(properties)) {
          expect([name, member]).toEqual([
            name,
            expect.objectContaining({ title: expect.any(String), description: expect.any(String) }),
          ]);
        }
      }
      expect(
        Object.keys(step.options ?? {}).filter(
          (name) => !(name in (z.toJSONSchema(step.input, { io: "input", unrepresentable: "any" }).properties ?? {})),
        ),
      ).toEqual([]);
    },
  );
});

describe("what drop-downs offer", () => {
  const offered = async (step: Step, field: string, asked: { query?: string; after?: string; input?: object } = {}) => {
    const { query = "", after = null, input = {} } = asked;
    const work = step.options?.[field]?.work({ query, after, input: input as Record<string, unknown> });
    if (!work) throw new Error(`Nothing is offered for ${field}.`);
    const { result, requests } = await driveWork(work, analytics, sandbox.as("viewer"));
    return { ...result, values: result.options.map(({ value }) => value), requests };
  };

  test("properties in reach, by name, account or number", async () => {
    const all = await offered(runReports, "property_id");
    expect(all.values).toEqual(["1000", "1001", "1002", "1429", "1500", "1503"]);
    expect(all.options[0]).toEqual({ value: "1000", label: "Shop", hint: "Fieldwork, to read" });
    expect((await offered(createKeyEvents, "property_id", { query: "journal" })).values).toEqual(["1001"]);
    expect((await offered(runReports, "property_id", { query: "fieldwork 100" })).values).toEqual([
      "1000",
      "1001",
      "1002",
    ]);
    expect((await offered(runReports, "property_id", { query: "nothing like it" })).values).toEqual([]);
  });

  test("accounts", async () => {
    expect((await offered(createProperties, "account_id")).options).toEqual([{ value: "100", label: "Fieldwork" }]);
  });

  test("metrics and dimensions of the chosen property, a hundred at a time", async () => {
    const input = { property_id: "properties/1000" };
    expect((await offered(runReports, "metrics", { query: "sessions", input })).values[0]).toBe("sessions");
    expect((await offered(runReports, "metrics", { query: "conversions", input })).values).toContain("keyEvents");
    expect((await offered(runReports, "metrics", { query: "purchase", input })).values).toContain("keyEvents:purchase");
    const first = await offered(runReports, "dimensions", { input });
    expect(first.values).toHaveLength(100);
    const second = await offered(runReports, "dimensions", { input, after: first.next ?? "" });
    expect(second.next).toBeNull();
    expect(new Set([...first.values, ...second.values]).size).toBe(first.values.length + second.values.length);
  });

  test("what all properties share, while none is chosen", async () => {
    const { requests, values } = await offered(runReports, "metrics");
    expect(requests[0]?.path).toBe("/v1beta/properties/0/metadata");
    expect(values).toContain("sessions");
  });

  test("events that the property collects", async () => {
    const { values } = await offered(createKeyEvents, "event_name", { query: "sign", input: { property_id: "1000" } });
    expect(values).toEqual(["sign_up"]);
    expect((await offered(createKeyEvents, "event_name")).values).toEqual([]);
  });

  test.each([
    ["time_zone", "paris", "Europe/Paris"],
    ["time_zone", "new york", "America/New_York"],
    ["currency_code", "euro", "EUR"],
    ["currency_code", "usd", "USD"],
    ["industry_category", "shop", "SHOPPING"],
    ["industry_category", "law and", "LAW_AND_GOVERNMENT"],
  ])("%s: %s finds %s without asking anyone", async (field, query, value) => {
    const { values, requests } = await offered(createProperties, field, { query });
    expect(values[0]).toBe(value);
    expect(requests).toEqual([]);
  });

  test("endpoints", async () => {
    expect((await offered(analyticsApiCall, "endpoint", { query: "data streams" })).values).toContain(
      "v1beta/properties/{propertyId}/dataStreams",
    );
  });
});
