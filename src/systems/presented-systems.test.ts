import { expect, test } from "vitest";
import { eventSenders, findStep, findWait, systems, waits } from "./index.ts";
import { presentations } from "./presented-systems.ts";

test.each(systems.map((system) => ({ system, shown: presentations[system.id] })))(
  "the console shows $system.id with steps, waits and events that it has",
  ({ system, shown }) => {
    expect(shown.title).toBe(system.title);
    expect(shown.policy.kinds.map(({ kind }) => kind).sort()).toEqual(Object.keys(system.policyKinds).sort());
    const named = [shown.apiCall?.step, shown.exampleTool?.step].filter((id) => id !== undefined);
    expect(named.map((id) => findStep(id)?.system.id)).toEqual(named.map(() => system.id));
    const own = waits.filter((wait) => wait.system.id === system.id);
    expect(Object.keys(shown.waits)).toEqual(own.map(({ id }) => id));
    for (const [id, { title, kind, schema }] of Object.entries(shown.waits)) {
      const wait = findWait(id);
      expect({ title, kind }).toEqual({ title: wait?.title, kind: wait?.kind });
      expect(Object.keys(schema.properties ?? {})).toEqual([
        ...Object.keys(wait?.input.shape ?? {}),
        "timeout_seconds",
      ]);
    }
    const sender = eventSenders.find((each) => each.system.id === system.id);
    expect([shown.events?.names, shown.events?.signature]).toEqual([sender?.names, sender?.signature]);
    expect(shown.events?.webhook != null).toBe(sender?.webhooks != null);
    expect(shown.events === null || shown.events.names.includes(shown.events.first)).toBe(true);
    // A form for each way in which credentials can be pasted; the consent page needs none.
    const { ways } = system.signIn.credentials;
    expect(shown.forms.map(({ way }) => way).filter((way) => !ways.includes(way))).toEqual([]);
  },
);
