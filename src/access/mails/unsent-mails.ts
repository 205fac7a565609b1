import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isoTime } from "../../kernel/times.ts";
import type { Mail } from "./mail-queue.ts";
import { contentOf } from "./mail-texts.ts";

/** The file in which the operator reads mails that no mail server sent. */
export interface UnsentMails {
  file: string;
  keep(mail: Mail): void;
  close(): Promise<void>;
}

const batchDelayMilliseconds = 250;
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
  // As bytes: objects that wait here would be copied by the garbage collector, thousands in a second.
  let waiting: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return writing;
    writing = writing.then(() => write(Buffer.concat(batch))).catch(failed);
    return writing;
  }

  async function write(text: Buffer): Promise<void> {
    const size = await stat(file).then(
      (found) => found.size,
      () => null,
    );
    if (size === null) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    else if (size > fileBytesMax) await rename(file, `${file}.old`);
    await appendFile(file, text, { mode: 0o600 });
  }

  return {
    file,
    keep(mail) {
      try {
        if (waiting.length >= waitingMax) waiting.shift();
        waiting.push(Buffer.from(format(mail, isoTime(now()), baseUrl)));
        timer ??= setTimeout(flush, batchDelayMilliseconds).unref();
      } catch (error) {
        failed(error);
      }
    },
    close: flush,
  };
}

function format(mail: Mail, at: string, baseUrl: string): string {
  const { subject, text } = contentOf(mail, baseUrl);
  return `${at}\nTo: ${mail.recipient}\nSubject: ${subject}\n\n${text}\n${line}\n`;
}

const line = "-".repeat(72);
