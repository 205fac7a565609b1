import { STATUS_CODES } from "node:http";

/** An answer as it goes over the wire. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

export type PlayedSystem = "marketing" | "deployment" | "analytics";
export type RefusedWith = "429" | "500" | "503";

/** What each vendor answers. Waits are as short as the vendor's words allow: a loop of a thousand kills has no minutes to spare. */
export function refusalOf(system: PlayedSystem, path: string, kind: RefusedWith): WireAnswer {
  if (/\/token$/.test(path)) return json(Number(kind), { error: "temporarily_unavailable" }, { "retry-after": "1" });
  if (system === "deployment") return deployment[kind]();
  if (system === "analytics") return analytics[kind]();
  return marketing[kind]();
}

const deployment: Record<RefusedWith, () => WireAnswer> = {
  429: () => {
    const reset = Math.ceil(Date.now() / 1000) + 1;
    const limit = { remaining: 0, reset, resetMs: reset * 1000, total: 500 };
    const headers = {
      "retry-after": "1",
      "x-ratelimit-limit": "500",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(reset),
    };
    return json(429, { error: { code: "rate_limited", message: "The rate limit has been exceeded.", limit } }, headers);
  },
  500: () => json(500, { error: { code: "internal_server_error", message: "An unexpected internal error occurred" } }),
  503: () => json(503, { error: { code: "service_unavailable", message: "The service is unavailable" } }),
};

const analytics: Record<RefusedWith, () => WireAnswer> = {
  429: () => google(429, "RESOURCE_EXHAUSTED", "Exhausted concurrent requests quota."),
  500: () => google(500, "INTERNAL", "An internal error has occurred."),
  503: () => google(503, "UNAVAILABLE", "The service is currently unavailable."),
};

/** This system tells of limits and of maintenance within a 200. */
const marketing: Record<RefusedWith, () => WireAnswer> = {
  429: () => envelope("615", "Concurrent access limit reached"),
  500: () => ({
    status: 500,
    headers: { "content-type": "text/html" },
    body: Buffer.from("<html>Server Error</html>"),
  }),
  503: () => envelope("608", "API Temporarily Unavailable"),
};

const google = (status: number, name: string, message: string) =>
  json(status, { error: { code: status, message, status: name } });

const envelope = (code: string, message: string) =>
  json(200, { requestId: "e42b#14272d07d78", success: false, errors: [{ code, message }] });

const json = (status: number, body: object, headers: Record<string, string> = {}): WireAnswer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", date: new Date().toUTCString(), ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

/** The first `bytes` of the body behind a head that promises all of it. */
export function onTheWire({ status, headers, body }: WireAnswer, bytes: number): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) lines.push(`${name}: ${value}`);
  }
  lines.push(`content-length: ${body.length}`, "", "");
  return Buffer.concat([Buffer.from(lines.join("\r\n")), body.subarray(0, bytes)]);
}
