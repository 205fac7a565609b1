import { readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { createMailLog } from "../../kernel/log.ts";
import { Secret } from "../../kernel/secret.ts";
import type { Mail } from "./mail-queue.ts";
import { inviteContent } from "./mail-texts.ts";
import { sendBySmtp, sendToOperator } from "./send-mail.ts";
import { createUnsentMails } from "./unsent-mails.ts";

const details = {
  invite_code: "inv_us_code",
  project_id: "prj_us_project",
  project: "Web shop",
  organization: "Acme",
  role: "editor",
  invited_by_name: "Grace Hopper",
  invited_by: "owner@example.com",
  expires_at: "2030-01-08T00:00:00.000Z",
  accepted: false,
};
const mailTo = (recipient: string, more: object = {}): Mail => ({
  id: "mail_us_1",
  recipient,
  kind: "invite",
  attempts: 1,
  details: { ...details, ...more },
});

interface Received {
  from: string;
  to: string[];
  headers: string[];
  text: string;
}

/** Undoes the soft line ends and the escapes of quoted-printable. */
const plain = (text: string): string =>
  text
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The few SMTP commands of a delivery, on a real socket. */
async function startMailServer(refuse: RegExp = /(?!)/) {
  const received: Received[] = [];
  const commands: string[] = [];
  function converse(socket: Socket): void {
    let rest = "";
    let inData = false;
    let from = "";
    let to: string[] = [];
    const answer = (line: string): string => {
      commands.push(line);
      if (refuse.test(line)) return "550 not here";
      if (/^MAIL FROM:/i.test(line)) from = line.slice(10);
      if (/^RCPT TO:/i.test(line)) to.push(line.slice(8));
      inData = /^DATA$/i.test(line);
      return inData ? "354 go on" : /^QUIT$/i.test(line) ? "221 bye" : "250 fine";
    };
    const keep = (message: string): string => {
      const [head = "", ...body] = message.split("\r\n\r\n");
      // A header that goes on in the next line is one header.
      received.push({
        from,
        to,
        headers: head.replace(/\r\n[ \t]+/g, " ").split("\r\n"),
        text: plain(body.join("\r\n\r\n")),
      });
      to = [];
      inData = false;
      return "250 kept";
    };
    socket.write("220 ready\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      rest += chunk.toString("latin1");
      for (;;) {
        const end = rest.indexOf(inData ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const piece = rest.slice(0, end);
        rest = rest.slice(end + (inData ? 5 : 2));
        socket.write(`${inData ? keep(piece) : answer(piece)}\r\n`);
      }
    });
  }
  const server = createServer(converse);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  cleanUpLater(close);
  const { port } = server.address() as AddressInfo;
  const url = new Secret(`smtp://127.0.0.1:${port}`);
  const send = sendBySmtp({ url, from: "Signalbox <no-reply@example.com>", baseUrl: "https://us.example.com" });
  return { received, commands, send, port, close };
}

const namesOf = ({ headers }: Received) => headers.map((header) => header.slice(0, header.indexOf(":"))).sort();
const usualHeaders = ["Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"];

describe("a mail by SMTP", () => {
  test("arrives at its one recipient, with the code and how to use it", async () => {
    const { received, send } = await startMailServer();
    await send(mailTo("ada@example.com"));
    expect(received).toHaveLength(1);
    const [mail] = received as [Received];
    expect([mail.from, mail.to]).toEqual(["<no-reply@example.com>", ["<ada@example.com>"]]);
    expect(mail.headers).toContain("From: Signalbox <no-reply@example.com>");
    expect(mail.headers).toContain("To: ada@example.com");
    expect(mail.headers).toContain("Subject: Grace Hopper invites you to Web shop on Signalbox");
    expect(mail.headers.join()).toContain("multipart/alternative");
    for (const kind of ["text/plain", "text/html"]) expect(mail.text).toContain(`Content-Type: ${kind}; charset=utf-8`);
    expect(mail.text).toContain("Grace Hopper (owner@example.com) invites you to the project Web shop on Signalbox.");
    expect(mail.text).toContain("POST https://us.example.com/latest/auth/invite/accept");
    expect(mail.text).toContain('{"invite_code":"inv_us_code"}');
  });

  test.each([
    ["o'hara+a=b/c{d}|e~f!#$%&*?^_`@example.com", "<o'hara+a=b/c{d}|e~f!#$%&*?^_`@example.com>"],
    ["ada@bücher.example", "<ada@xn--bcher-kva.example>"],
    ["ada@ⓔxample.com", "<ada@example.com>"],
  ])("to %s is sent to the domain by which it is compared", async (recipient, to) => {
    const { received, send } = await startMailServer();
    await send(mailTo(recipient));
    expect(received.map((mail) => mail.to)).toEqual([[to]]);
  });

  // Invites refuse these addresses. If one ever got through, the mail would still have one recipient and no extra header.
  test.each([
    "ada@example.com\r\nBcc: eve@example.org",
    "ada@example.com\nBcc: eve@example.org",
    "ada@example.com\rBcc: eve@example.org",
    "ada@example.com%0d%0aBcc:eve@example.org",
    "ada@example.com\u2028Bcc: eve@example.org",
    "ada@example.com\u0000\r\nBcc: eve@example.org",
    "ada@example.com, eve@example.org",
    "ada@example.com; eve@example.org",
    "all: ada@example.com, eve@example.org;",
    "Ada <ada@example.com>, <eve@example.org>",
    "ada@example.com>\r\nRCPT TO:<eve@example.org",
    "ada@example.com>\r\nDATA\r\nSubject: x\r\n\r\nspam\r\n.\r\nQUIT\r\n",
    '"ada@example.com" <eve@example.org>',
  ])("to %j is at most one mail to one recipient, without an injected header", async (recipient) => {
    const { received, commands, send } = await startMailServer();
    await send(mailTo(recipient)).catch(() => {});
    expect(commands.filter((line) => /^(MAIL|RCPT|DATA)/i.test(line)).length).toBeLessThanOrEqual(3);
    expect(commands.filter((line) => /^RCPT/i.test(line) && /<eve@example\.org>/.test(line))).toEqual([]);
    expect(received.length).toBeLessThanOrEqual(1);
    for (const mail of received) expect(namesOf(mail)).toEqual(usualHeaders);
  });

  test.each(["\r\nBcc: eve@example.org", "\r\n\r\n.\r\nMAIL FROM:<eve@example.org>\r\n", "\n.\n", "\r\n..\r\n.\r\n"])(
    "in whose words somebody put %j is still one mail, read to its end",
    async (noise) => {
      const { received, commands, send } = await startMailServer();
      await send(mailTo("ada@example.com", { invited_by: `owner@example.com${noise}` }));
      expect(commands.filter((line) => /^MAIL/i.test(line))).toHaveLength(1);
      expect(received.map(namesOf)).toEqual([usualHeaders]);
      expect(received[0]?.text).toContain("The invitation is valid until");
    },
  );

  test("that the server refuses, or without a server, fails without revealing the password", async () => {
    const { send } = await startMailServer(/^RCPT/i);
    await expect(send(mailTo("ada@example.com"))).rejects.toThrow("550 not here");
    const { port, close } = await startMailServer();
    await close();
    const url = new Secret(`smtp://user:hunter2@127.0.0.1:${port}`);
    const nowhere = sendBySmtp({ url, from: "no-reply@example.com", baseUrl: "https://us.example.com" });
    const failure = await nowhere(mailTo("ada@example.com")).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(inspect(failure)).not.toContain("hunter2");
  });
});

describe("the text of an invite", () => {
  test("tells a stranger how to accept and until when, and a member that nothing is left to do", () => {
    const stranger = inviteContent(details, "https://us.example.com").text;
    expect(stranger).toContain("The invitation is valid until Tuesday, 8 January 2030, 00:00 UTC.");
    const member = inviteContent({ ...details, accepted: true }, "https://us.example.com").text;
    expect(member).toContain("You already have access");
    expect(member).not.toContain("inv_us_code");
  });

  test("is in a file for the operator alone where no mail server is configured, and the log names the file", async () => {
    const lines: string[] = [];
    const file = join(temporaryFolder(), "data", "us.unsent-mails.txt");
    const failed = (error: unknown) => expect(error).toBeUndefined();
    const unsent = createUnsentMails(file, "https://us.example.com", { now: () => new Date(), failed });
    const mailLog = createMailLog("info", { write: (line) => void lines.push(line) });
    const send = sendToOperator(mailLog, "us", "https://us.example.com", unsent);
    await send(mailTo("ada@example.com"));
    const reset = { token: "a-secret-token", organization: "Acme", email: "bob@example.com" };
    await send({ ...mailTo("bob@example.com"), kind: "password_reset", details: reset });
    await send({ ...mailTo("eve@example.com"), kind: "sign_up_code", details: { code: "12345678" } });
    await unsent.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 30, region: "us", to: "ada@example.com", kind: "invite", file },
      { level: 30, region: "us", to: "bob@example.com", kind: "password_reset", file },
      { level: 30, region: "us", to: "eve@example.com", kind: "sign_up_code", file },
    ]);
    for (const secret of ["inv_us_code", "a-secret-token", "12345678"]) {
      expect(lines.join("")).not.toContain(secret);
      expect(readFileSync(file, "utf8")).toContain(secret);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("takes at most two files of about a megabyte, however many mails are unsent", async () => {
    const file = join(temporaryFolder(), "us.unsent-mails.txt");
    const unsent = createUnsentMails(file, "https://us.example.com", { now: () => new Date(), failed: () => {} });
    for (let round = 0; round < 8; round++) {
      for (let count = 0; count < 1000; count++) unsent.keep(mailTo(`person-${count}@example.com`));
      await unsent.close();
    }
    expect(readdirSync(dirname(file)).sort()).toEqual(["us.unsent-mails.txt", "us.unsent-mails.txt.old"]);
    for (const name of [file, `${file}.old`]) expect(statSync(name).size).toBeLessThan(2 * 1024 * 1024);
  });
});
