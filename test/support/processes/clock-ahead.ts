/** Loaded before a server: its machine's clock is ten years ahead, for everything that reads it. */
const milliseconds = 10 * 365 * 86_400_000;
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: unknown[], wanted) =>
    Reflect.construct(target, given.length === 0 ? [TrueDate.now() + milliseconds] : given, wanted),
  get: (target, name) => (name === "now" ? () => TrueDate.now() + milliseconds : Reflect.get(target, name)),
});
