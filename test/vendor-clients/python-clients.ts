import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Call, Client, ClientWorld } from "./client.ts";

/** Clients in Python. Their calls stand in a script beside this file, which prints the result of each. */

/** The interpreter of a virtual environment. */
export const pythonOf = (folder: string): string => join(folder, "python", "bin", "python");

const notHere = "records of their own that nothing here acts on";
const pages = "landing pages can be browsed and read, not built";

export const marketoPython: Client = {
  name: "marketo-python",
  title: "marketorestpython 0.5.25 of October 2025 (Python)",
  packages: {
    // The newest release on PyPI may still put the token into the address, which the vendor refuses since 2025.
    marketorestpython:
      "git+https://github.com/jepcastelein/marketo-rest-python@3d8985acf958f9c69c891a83d1cc3fb6a246fade",
    setuptools: "75.8.0",
  },
  from: "PyPI",
  sandbox: "marketing",
  leftOut: {
    sync_program_member_data: "program members have no fields of one's own here",
    import_lead: "imports in bulk: leads are synchronized instead",
    submit_form: "forms are not submitted here",
    describe_opportunity: notHere,
    describe_company: notHere,
    describe_sales_person: notHere,
    describe_named_accounts: notHere,
    get_list_of_custom_objects: notHere,
    get_landing_page_content: pages,
    get_landing_page_redirect_rules: pages,
  },
  async *calls(world) {
    // It sends a refused call again without its token, and counts GET and POST apart, so that it meets the limit.
    await fetch(`${world.served.url}/_sandbox/limits`, { method: "POST", body: JSON.stringify({ rate_calls: null }) });
    yield* callsOf("marketo.py", world);
  },
};

export const googleApiPython: Client = {
  name: "google-api-python",
  title: "google-api-python-client 2.201.0 (Python), with a service account",
  packages: { "google-api-python-client": "2.201.0", "google-auth": "2.59.1" },
  from: "PyPI",
  sandbox: "analytics",
  leftOut: { "properties.audienceExports.list": "results that take the vendor minutes to make" },
  calls: (world) => callsOf("google_api_client.py", world),
};

async function* callsOf(script: string, { folder, served, credentials, ids }: ClientWorld): AsyncIterable<Call> {
  const program = new URL(script, import.meta.url).pathname;
  const child = spawn(pythonOf(folder), ["-B", program], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ url: served.url, credentials, ids }));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const { name, problem } = JSON.parse(line) as { name: string; problem: string | null };
    yield { name, send: () => (problem === null ? Promise.resolve() : Promise.reject(new Error(problem))) };
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${script} ended with ${code} before all calls were made.`);
}
