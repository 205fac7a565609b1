import type { Secret } from "../../kernel/secret.ts";

const waitMilliseconds = 5_000;

/** Connects and signs in at the SMTP server, and sends nothing. Null if it accepts us; otherwise the reason. */
export async function smtpProblem(url: Secret): Promise<string | null> {
  // Loaded on demand, like the one that sends.
  const { default: nodemailer } = await import("nodemailer");
  const timeouts = {
    connectionTimeout: waitMilliseconds,
    greetingTimeout: waitMilliseconds,
    socketTimeout: waitMilliseconds,
  };
  const transport = nodemailer.createTransport({ url: url.reveal(), ...timeouts });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    transport.close();
  }
}
