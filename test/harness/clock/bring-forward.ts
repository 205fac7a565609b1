/**
 * Loaded before a server, whose periodic work can then be made to happen now: a message with a number of milliseconds does once what is done every
 * so many, and the reply comes when that has ended.
 */
const periodic = new Map<unknown, { work: () => unknown; every: number | undefined }>();
const { setInterval: begin, clearInterval: end, setTimeout: later } = globalThis;
/** The first pass of the pruner, after five minutes, comes at once. */
const firstPass = 300_000;

const watched = (work: () => unknown, every?: number): NodeJS.Timeout => {
  const timer = begin(work, every);
  periodic.set(timer, { work, every });
  return timer;
};
const forget = (timer: unknown): void => {
  periodic.delete(timer);
  end(timer as NodeJS.Timeout);
};
const soon = (work: (...given: unknown[]) => unknown, after?: number, ...given: unknown[]): NodeJS.Timeout =>
  later(work, after === firstPass ? 0 : after, ...given);
Object.assign(soon, later);
Object.assign(globalThis, { setInterval: watched, clearInterval: forget, setTimeout: soon });

process.on("message", (every: string) => {
  const due = [...periodic.values()].filter((each) => each.every === Number(every));
  void Promise.allSettled(due.map(async ({ work }) => work())).then(() => process.send?.(due.length));
});
// The server ends although it could be sent more.
process.channel?.unref();
