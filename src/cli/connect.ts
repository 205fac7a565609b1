import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, Option } from "commander";
import { type Answer, type CallerOptions, callerOf, hasLogin } from "./calling/caller.ts";
import { callingCommand, printAnswer } from "./calling/calling-command.ts";
import { requireOperation } from "./calling/operations.ts";
import { CommandRefused, exitCodes } from "./exit-codes.ts";
import { openBrowser } from "./open-browser.ts";
import { terminal, writeNote } from "./terminal/terminal.ts";

interface ConnectOptions extends CallerOptions {
  system: string;
  instance: string;
  label?: string;
  connection?: string;
  credentials?: string;
  store?: true;
  browser?: boolean;
}

/** "`connections connect` opens the browser and waits." With credentials, no browser is needed. */
export function connectCommand(onStore: (options: ConnectOptions) => Promise<void>): Command {
  const { fields } = requireOperation("/latest/connections/connect");
  const systems = fields.find(({ name }) => name === "system")?.choices ?? [];
  return callingCommand("connect", "connect an account in the browser or with credentials, or reconnect one")
    .addOption(new Option("--system <system>", "which system").choices(systems).makeOptionMandatory())
    .option("--instance <instance>", "live, sandbox, or an https address of its own", "live")
    .option("--label <text>", "a name for it")
    .option("--connection <id>", "reconnect this one, con_…: it keeps its id")
    .option("--credentials <file>", "a JSON file with the credentials; - reads standard input")
    .option("--no-browser", "print the address, and open no browser")
    .option("--store", "for operators: save it in this machine's store, and call no server")
    .action(async (options: ConnectOptions) => {
      const isOnStore =
        options.store || (options.credentials !== undefined && (options.home !== undefined || !hasLogin(options)));
      await (isOnStore ? onStore(options) : connect(options));
    });
}

async function connect(options: ConnectOptions): Promise<void> {
  const caller = callerOf(options);
  const begun = await caller.call("/latest/connections/connect", {
    system: options.system,
    instance: options.instance,
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.connection === undefined ? {} : { connection_id: options.connection }),
    ...(options.credentials === undefined ? {} : { credentials: await readCredentials(options.credentials) }),
  });
  if (typeof begun.connect_url !== "string") return printAnswer(options, begun);
  writeNote(`Sign in at ${options.system} on this page:\n\n  ${begun.connect_url}\n`);
  if (options.browser !== false) openBrowser(begun.connect_url);
  writeNote("Waiting …");
  printAnswer(options, await ended(caller.call, String(begun.connect_id)));
}

const lookMilliseconds = 1_000;

/** The server ends the wait: a sign-in that nobody completes expires. */
async function ended(call: (path: string, input: Answer) => Promise<Answer>, connectId: string): Promise<Answer> {
  for (;;) {
    const status = await call("/latest/connections/status", { connect_id: connectId });
    if (status.state === "connected") return { connection_id: status.connection_id, state: status.state };
    if (status.state !== "pending") {
      const detail = (status.problem as { detail?: string } | undefined)?.detail ?? `The sign-in has ${status.state}.`;
      throw new CommandRefused(`${detail}\n  Start again with \`signalbox connections connect\`.`, exitCodes.refused, {
        code: "not_connected",
        ...status,
      });
    }
    await pause(lookMilliseconds);
  }
}

/** Credentials come in a file or on standard input: arguments are visible to every user of the machine. */
export async function readCredentials(file: string): Promise<Record<string, unknown>> {
  const written = await (file === "-" ? text(terminal().stdin) : readFile(file, "utf8")).catch((error) => {
    throw new CommandRefused(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  });
  try {
    const given: unknown = JSON.parse(written);
    if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  } catch {
    // Refused below, together with JSON that is not an object.
  }
  throw new CommandRefused('The credentials are a JSON object, such as {"token": "…"}.');
}
