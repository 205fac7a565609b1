import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { contentOf } from "./contents.ts";
import type { Mail } from "./mails.ts";

/** The file in which the operator reads mails that no mail server sent. */
export interface UnsentMails {
  file: string;
  keep(mail: Mail): void;
  close(): Promise<void>;
}

const batchDelayMilliseconds = 100;
const waitingMax = 5000;
const fileBytesMax = 1024 * 1024;

/**
 * A mail can hold a link that grants access to an account, and logs go to many systems. Without a mail server, mails go
 * to a file that only the operator's account on this machine can read. A full file replaces the previous `.old` file.
 */
export function createUnsentMails(
  file: string,
  baseUrl: string,
  { now, failed }: { now: () => Date; failed: (error: unknown) => void },
): UnsentMails {
  let waiting: { mail: Mail; at: string }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return writing;
    writing = writing.then(() => write(batch.map(({ mail, at }) => format(mail, at, baseUrl)).join(""))).catch(failed);
    return writing;
  }

  async function write(text: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (size > fileBytesMax) await rename(file, `${file}.old`);
    await appendFile(file, text, { mode: 0o600 });
  }

  return {
    file,
    keep(mail) {
      if (waiting.length >= waitingMax) waiting.shift();
      waiting.push({ mail, at: now().toISOString() });
      timer ??= setTimeout(flush, batchDelayMilliseconds).unref();
    },
    close: flush,
  };
}

function format(mail: Mail, at: string, baseUrl: string): string {
  const { subject, text } = contentOf(mail, baseUrl);
  return `${at}\nTo: ${mail.recipient}\nSubject: ${subject}\n\n${text}\n${"-".repeat(72)}\n`;
}
