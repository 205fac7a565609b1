import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Outside, startOutside } from "../../kill-loop/runs/outside.ts";

/**
 * Whom a server sends things to: a system, a receiver of webhooks, a mail server. While they are away, they refuse for the time being: the receiver
 * everything, the system its list of deployments, the mail server the mails to `laterAddress`.
 */
export interface Parties {
  outside: Outside;
  /** Settings with which the server reaches them. */
  settings: NodeJS.ProcessEnv;
  hookUrl: string;
  leave(refusal: object): Promise<void>;
  comeBack(): Promise<void>;
  /** How often each event was accepted, by what it is about. */
  events: Map<string, number>;
  /** How often each mail was accepted, by its recipient. */
  mails: Map<string, number>;
  /** Recipients of mails that were refused. */
  refusedMails: Set<string>;
  stop(): Promise<void>;
}

/** What the system refuses while it is away: it lists no deployments. */
const readPath = "/v6/deployments";

/** Mails to such addresses are refused while the mail server is away. The clients of the load invite others. */
export const laterAddress = (number: number): string => `later-${number}@example.org`;

export async function startParties(): Promise<Parties> {
  const outside = await startOutside();
  const [events, mails, refusedMails] = [new Map<string, number>(), new Map<string, number>(), new Set<string>()];
  let isAway = false;
  let faultId = "";
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  const receiver = createHttpServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      if (!isAway) count(events, String(JSON.parse(text).data.run_id));
      response.writeHead(isAway ? 503 : 204).end();
    });
  });
  const mailServer = createServer((socket) =>
    takeMails(socket, (recipient) => {
      if (isAway && recipient.startsWith("later-")) {
        refusedMails.add(recipient);
        return false;
      }
      count(mails, recipient);
      return true;
    }),
  );
  const hookOrigin = `http://127.0.0.1:${await listenOn(receiver)}`;
  const mailPort = await listenOn(mailServer);

  return {
    ...{ outside, events, mails, refusedMails },
    hookUrl: `${hookOrigin}/hook`,
    settings: {
      SIGNALBOX_SANDBOXES: outside.address,
      SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS: hookOrigin,
      SIGNALBOX_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    },
    async leave(refusal) {
      isAway = true;
      const fault = { match: { method: "GET", path: readPath }, times: 1e6, body: {}, ...refusal };
      const added = (await outside.control("faults", fault)).fault as { fault_id: string };
      faultId = added.fault_id;
    },
    async comeBack() {
      await outside.control("faults/remove", { fault_id: faultId });
      isAway = false;
    },
    async stop() {
      for (const server of [receiver, mailServer]) server.close();
      receiver.closeAllConnections();
      await outside.stop();
    },
  };
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** As much of a mail server as a sender needs. `accept` decides when the mail is there. */
function takeMails(socket: Socket, accept: (recipient: string) => boolean): void {
  let [unread, recipient, inContent] = ["", "", false];
  const say = (line: string) => socket.write(`${line}\r\n`);
  const hear = (line: string): void => {
    if (inContent) {
      if (line !== ".") return;
      inContent = false;
      say(accept(recipient) ? "250 It is there" : "451 Away");
    } else if (/^RCPT TO:/i.test(line)) {
      recipient = /<(.*?)>/.exec(line)?.[1] ?? "";
      say("250 Yes");
    } else if (/^DATA/i.test(line)) {
      inContent = true;
      say("354 Go on");
    } else if (/^QUIT/i.test(line)) {
      socket.end("221 Bye\r\n");
    } else {
      say("250 Yes");
    }
  };
  // A sender that breaks off sends the mail again.
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    const lines = (unread + chunk.toString()).split("\r\n");
    unread = lines.pop() ?? "";
    for (const line of lines) hear(line);
  });
  say("220 A mail server");
}
