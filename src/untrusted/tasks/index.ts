/**
 * Every task that can be run here. A process loads a task with its first job, so one that only evaluates expressions holds
 * nothing else. The size of what a task returns is the task's own business: it is copied back into the server.
 *
 * `cpuMilliseconds` is the deadline of one job, in time that its process has worked; `wallMilliseconds` ends it where the
 * machine is so busy that nobody would wait for it any longer.
 */
export const tasks = {
  expression: {
    load: async () => (await import("./expression.ts")).evaluateExpression,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 2_000,
  },
  /** The largest answer that is let in takes some 100 ms; a provider may have ten certificates, and each is tried. */
  saml: {
    load: async () => (await import("./saml.ts")).checkSaml,
    cpuMilliseconds: 2_000,
    wallMilliseconds: 8_000,
  },
  texts: {
    load: async () => (await import("./texts.ts")).readTexts,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 5_000,
  },
  schema: {
    load: async () => (await import("./schema.ts")).checkSchema,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 5_000,
  },
  params: {
    load: async () => (await import("./schema.ts")).checkParams,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 5_000,
  },
  "read yaml": {
    load: async () => (await import("./yaml.ts")).readYaml,
    cpuMilliseconds: 2_000,
    wallMilliseconds: 10_000,
  },
  "write yaml": {
    load: async () => (await import("./yaml.ts")).writeYaml,
    cpuMilliseconds: 2_000,
    wallMilliseconds: 10_000,
  },
} as const;

export type TaskName = keyof typeof tasks;
type TaskOf<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]["load"]>>;
export type TaskInput<Name extends TaskName> = Parameters<TaskOf<Name>>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<TaskOf<Name>>>;
