/**
 * Loaded before a server: CLOCK_AHEAD_SECONDS, and later a message with a number of seconds, sets its machine's clock ahead by so much, for
 * everything that reads it.
 */
let milliseconds = Number(process.env.CLOCK_AHEAD_SECONDS ?? 0) * 1000;
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: unknown[], wanted) =>
    Reflect.construct(target, given.length === 0 ? [TrueDate.now() + milliseconds] : given, wanted),
  get: (target, name) => (name === "now" ? () => TrueDate.now() + milliseconds : Reflect.get(target, name)),
});

process.on("message", (seconds: string) => {
  milliseconds = Number(seconds) * 1000;
  process.send?.("set");
});
// The server ends although it could be sent more.
process.channel?.unref();
