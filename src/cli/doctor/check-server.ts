import { createServer } from "node:net";
import { pauseName } from "../../http/pause-metric.ts";
import type { Region } from "../../kernel/regions.ts";
import { type Config, portOf } from "../../start/settings/config.ts";
import { settings } from "../../start/settings/settings.ts";
import type { Finding } from "./finding.ts";

const addressRemedy = `Set ${settings.host.name} to an address of this machine, and ${settings.port.name} to a port that the server's user may use.`;

export function checkPort(config: Config, region: Region): Promise<Finding> {
  const port = portOf(config.port, region);
  const what = `port ${port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "EADDRINUSE"
          ? { what, ok: true, detail: `in use: a server is running there (region ${region})` }
          : {
              what,
              ok: false,
              detail: `${config.host} cannot be listened on: ${error.message}`,
              remedy: addressRemedy,
            },
      ),
    );
    probe.listen(port, config.host, () =>
      probe.close(() => resolve({ what, ok: true, detail: `free for region ${region}` })),
    );
  });
}

const askMilliseconds = 5_000;

/** Asks the running server, if there is one. The metrics say what blocked it; its log says for which tenant. */
export async function checkPauses(config: Config): Promise<Finding | null> {
  const what = "event loop";
  for (const region of config.regions) {
    const address = new URL("/metrics", addressOf(config, region));
    // No answer means that no server runs: `doctor` works without one.
    const answer = await fetch(address, { signal: AbortSignal.timeout(askMilliseconds) }).catch(() => null);
    // An answer that breaks off is no answer.
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (!text.includes(pauseName)) continue;
    const worst = readWorst(text);
    if (!worst) return { what, ok: true, detail: "has not stood still since the server started" };
    const { seconds, operation, step, at } = worst;
    const during = step === "" ? operation : `${operation} ${step}`;
    return {
      what,
      ok: true,
      detail: `stood still for ${seconds.toFixed(2)} s at most, at ${at.toISOString()}, during ${during}`,
      remedy: "The log has a line «the event loop stood still» with the organization and the project.",
    };
  }
  return null;
}

const addressOf = ({ host, port }: Config, region: Region): string => {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${portOf(port, region)}`;
};

/** Reads the two lines of the metrics. */
function readWorst(text: string): { seconds: number; operation: string; step: string; at: Date } | null {
  const worst = new RegExp(`^${pauseName}_worst\\{operation="([^"]*)",step="([^"]*)"\\} (\\S+)$`, "m").exec(text);
  const at = new RegExp(`^${pauseName}_worst_at (\\S+)$`, "m").exec(text);
  if (!worst || !at) return null;
  const [, operation = "", step = "", seconds] = worst;
  return { seconds: Number(seconds), operation, step, at: new Date(Number(at[1]) * 1000) };
}
