import { connect, type Socket } from "node:net";
import postgres from "postgres";
import type { Address, Host } from "./address.ts";

/** Which of several servers takes writes, and the sockets that lead to it. */

/** No server of the address takes writes just now. The code is one of a lost connection. */
const noPrimary = (): Error =>
  Object.assign(new Error("No host of the database address accepts writes."), { code: "CONNECT_NO_PRIMARY" });

/**
 * The first of the hosts that can be used. All are asked at once, so one that stands still delays no other; accepting a
 * connection is no answer, because a server that stands still does that, too. Throws what a server said against us, where
 * one did, such as a wrong password.
 */
export async function findUsable(address: Address, milliseconds: number): Promise<Host> {
  const asked = address.hosts.map(async (host) => {
    await requireUsable(address, host, milliseconds);
    return host;
  });
  return Promise.any(asked).catch(({ errors }: AggregateError) => {
    throw errors.find((error) => error instanceof postgres.PostgresError) ?? errors[0];
  });
}

async function requireUsable(address: Address, host: Host, milliseconds: number): Promise<void> {
  const answer = await askOnce(address, host, milliseconds, (ask) => ask<{ read_only: string }>(askReadOnly));
  if (address.wantsPrimary && answer.read_only !== "off") throw noPrimary();
}

/**
 * Whether a pooler in transaction mode stands before the server: two connections that are open at once meet the same process
 * of it, or one connection meets two. Such a pooler loses what its clients prepare, and with it even commits: the driver
 * prepares those, too, and repeats a lost one after the server has rolled back.
 */
export async function isPooled(address: Address, milliseconds: number): Promise<boolean> {
  const host = await findUsable(address, milliseconds);
  return askOnce(address, host, milliseconds, async (ask) => {
    const before = await ask<{ pid: string }>(askProcess);
    const beside = await askOnce(address, host, milliseconds, (askBeside) => askBeside<{ pid: string }>(askProcess));
    const after = await ask<{ pid: string }>(askProcess);
    return before.pid !== after.pid || before.pid === beside.pid;
  });
}

const askProcess = "select pg_backend_pid()::text as pid";

/** Asks over a connection of its own, which is open meanwhile and surely closed afterwards. */
async function askOnce<T>(
  address: Address,
  host: Host,
  milliseconds: number,
  work: (ask: <R>(question: string) => Promise<R>) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  // The driver takes `socket`; its types do not know that, and object literals are held against them.
  const options = {
    max: 1,
    connect_timeout: Math.ceil(milliseconds / 1000),
    prepare: false,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "signalbox" },
    socket: () => openSocket(host, sockets),
  };
  const sql = postgres(address.urlFor(host), options);
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, milliseconds, noAnswer());
  });
  const ask = async <R>(question: string): Promise<R> => {
    const [row] = await sql.unsafe(question);
    return row as R;
  };
  try {
    return await Promise.race([work(ask), tooLate]);
  } finally {
    clearTimeout(timer);
    await sql.end({ timeout: 0 });
    for (const socket of sockets) socket.destroy();
  }
}

const askReadOnly =
  "select case when pg_is_in_recovery() then 'on' else current_setting('transaction_read_only') end as read_only";

const noAnswer = (): Error =>
  Object.assign(new Error("The database server does not answer."), { code: "CONNECT_TIMEOUT" });

/** Kept in `sockets`, so that whoever gives a server up can close what it never will. */
export function openSocket({ host, port }: Host, sockets: Set<Socket>): Socket {
  // A host that is a folder holds the server's local socket.
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
  // The driver names the host to TLS by it.
  return Object.assign(socket, { host, port });
}
