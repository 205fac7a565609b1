/**
 * Every task of this folder. A process loads a task with its first job, so a process that only evaluates expressions
 * holds nothing else. Each task limits the size of its own result, which is copied back to the server.
 * `cpuMilliseconds` is the deadline of one job in CPU time. `wallMilliseconds` ends a job on a machine too busy for it.
 */
export const tasks = {
  expression: {
    load: async () => (await import("./evaluate-expression.ts")).evaluateExpression,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 2_000,
  },
  /** The largest accepted answer takes some 100 ms; a provider may have ten certificates, and each is tried. */
  saml: {
    load: async () => (await import("./saml-signature.ts")).checkSaml,
    cpuMilliseconds: 2_000,
    wallMilliseconds: 8_000,
  },
  texts: {
    load: async () => (await import("./texts.ts")).readTexts,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 5_000,
  },
  schema: {
    load: async () => (await import("./check-schema.ts")).checkSchema,
    cpuMilliseconds: 1_000,
    wallMilliseconds: 5_000,
  },
  params: {
    load: async () => (await import("./check-schema.ts")).checkParams,
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
