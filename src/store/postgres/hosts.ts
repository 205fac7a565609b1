import { connect, type Socket } from "node:net";
import postgres from "postgres";
import type { Address, Host } from "./address.ts";

/** Finds which of several servers accepts writes, and opens sockets to it. */

/** No server of the address accepts writes at the moment. The code is one of a lost connection. */
const noPrimary = (): Error =>
  Object.assign(new Error("No host of the database address accepts writes."), { code: noPrimaryCode });
const noPrimaryCode = "CONNECT_NO_PRIMARY";

/** How far a server has come: each promotion of a replica starts the next timeline of the same system. */
interface Progress {
  system: string;
  timeline: number;
}

/** The furthest that one of our connections has seen. */
export interface Seen {
  furthest: Progress | null;
}

/** So long we wait for the others once one server has said that it accepts writes, and before we ask a standby again. */
const othersMilliseconds = 500;

/**
 * The usable host that has come furthest. A primary that was replaced while it was frozen accepts writes for a moment when
 * it wakes, and its data is old, so one that is behind what we have seen is not used. All hosts are probed at once, so that one
 * that hangs delays no other for long. An accepted connection proves nothing, because a hung server accepts connections
 * too. Throws the error of a server if one refused us, such as for a wrong password.
 */
export async function findUsable(
  address: Address,
  milliseconds: number,
  seen: Seen = { furthest: null },
): Promise<Host> {
  const found: { host: Host; progress: Progress }[] = [];
  const errors: unknown[] = [];
  await new Promise<void>((resolve) => {
    const silent = new Set(address.hosts);
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      resolve();
    };
    const ask = async (host: Host): Promise<void> => {
      while (!isOver) {
        const isStandby = await requireUsable(address, host, milliseconds).then(
          (progress) => {
            found.push({ host, progress });
            timer ??= setTimeout(end, address.wantsPrimary ? othersMilliseconds : 0);
            return false;
          },
          (error) => {
            errors.push(error);
            return error.code === noPrimaryCode;
          },
        );
        silent.delete(host);
        if (silent.size === 0) end();
        if (!isStandby) return;
        // It may be promoted while another server hangs.
        await new Promise((resolveLater) => setTimeout(resolveLater, othersMilliseconds));
      }
    };
    for (const host of address.hosts) void ask(host);
  });
  const [best] = found
    .filter(({ progress }) => !isBehind(progress, seen.furthest))
    .sort((one, other) => other.progress.timeline - one.progress.timeline);
  if (best) {
    seen.furthest = best.progress;
    return best.host;
  }
  throw errors.find((error) => error instanceof postgres.PostgresError) ?? errors[0] ?? noPrimary();
}

const isBehind = (one: Progress, other: Progress | null): boolean =>
  other !== null && one.system === other.system && one.timeline < other.timeline;

async function requireUsable(address: Address, host: Host, milliseconds: number): Promise<Progress> {
  return queryOnce(address, host, milliseconds, async (query) => {
    if (!address.wantsPrimary) {
      await query("select 1 as one");
      return unknownProgress;
    }
    const { read_only } = await query<{ read_only: string }>(readOnlySql);
    if (read_only !== "off") throw noPrimary();
    // A server that only resembles PostgreSQL has no such functions, or does not allow them.
    const answer = await query<{ system: string; file: string }>(progressSql).catch((error) => {
      if (error instanceof postgres.PostgresError && error.code.startsWith("42")) return null;
      throw error;
    });
    return answer ? { system: answer.system, timeline: Number.parseInt(answer.file.slice(0, 8), 16) } : unknownProgress;
  });
}

const unknownProgress: Progress = { system: "", timeline: 0 };

/** The name of a file of the write-ahead log begins with the timeline. */
const progressSql = `select system_identifier::text as system, pg_walfile_name(pg_current_wal_lsn()) as file
  from pg_control_system()`;

/**
 * Whether nothing stands between us and the server: each session has a process of its own, and the settings that it starts
 * with. A pooler in transaction mode shares the processes: two connections open at once have the same, or one connection changes
 * it. Such a pooler loses prepared statements and with them even commits: the driver prepares those too, and repeats a lost
 * one after the server has rolled back. While other nodes work, sessions may find their own processes again by chance. So the
 * settings must be kept, too, most of which a pooler refuses or ignores.
 */
export async function isDirect(
  address: Address,
  milliseconds: number,
  settings: Record<string, number>,
): Promise<boolean> {
  const [[name, usual] = ["", 0]] = Object.entries(settings);
  // No server has it already.
  const value = usual + 1;
  const both = `${processSql}, (select setting from pg_settings where name = '${name}') as found`;
  const host = await findUsable(address, milliseconds);
  const queryBeside = (start: Record<string, number>) =>
    queryOnce(address, host, milliseconds, (query) => query<{ pid: string; found: string }>(both), start);
  return queryOnce(address, host, milliseconds, async (query) => {
    const before = await query<{ pid: string }>(processSql);
    // A pooler may refuse the settings at the start of a session; then it is asked without.
    const beside = await queryBeside({ ...settings, [name]: value }).catch((error) => {
      if (!isRefusal(error)) throw error;
      return queryBeside({});
    });
    const after = await query<{ pid: string }>(processSql);
    const areShared = before.pid !== after.pid || before.pid === beside.pid;
    return !areShared && beside.found === String(value);
  });
}

/** What may pass is no refusal: a connection that breaks, too many of them (53), or a server that starts or stops (57). */
const isRefusal = (error: unknown): boolean => error instanceof postgres.PostgresError && !/^5[37]/.test(error.code);

const processSql = "select pg_backend_pid()::text as pid";

/** Queries over a separate connection that is always closed afterwards. */
async function queryOnce<T>(
  address: Address,
  host: Host,
  milliseconds: number,
  work: (query: <R>(text: string) => Promise<R>) => Promise<T>,
  setting: Record<string, number> = {},
): Promise<T> {
  const sockets = new Set<Socket>();
  // The driver accepts `socket`, but its types omit it, and object literals are checked against them.
  const options = {
    max: 1,
    connect_timeout: Math.ceil(milliseconds / 1000),
    prepare: false,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "signalbox", ...setting },
    socket: () => openSocket(host, sockets),
  };
  const sql = postgres(address.urlFor(host), options);
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, milliseconds, noAnswer());
  });
  const query = async <R>(text: string): Promise<R> => {
    const [row] = await sql.unsafe(text);
    return row as R;
  };
  try {
    return await Promise.race([work(query), tooLate]);
  } finally {
    clearTimeout(timer);
    await sql.end({ timeout: 0 });
    for (const socket of sockets) socket.destroy();
  }
}

const readOnlySql =
  "select case when pg_is_in_recovery() then 'on' else current_setting('transaction_read_only') end as read_only";

const noAnswer = (): Error =>
  Object.assign(new Error("The database server does not respond."), { code: "CONNECT_TIMEOUT" });

/** Records the socket in `sockets`, so that it can be destroyed when the server hangs. */
export function openSocket({ host, port }: Host, sockets: Set<Socket>): Socket {
  // A host that is a path holds the server's Unix socket.
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
  // The driver uses these as the TLS server name.
  return Object.assign(socket, { host, port });
}
