import { newPassword } from "../../identity/passwords/passwords.ts";
import { CommandRefused } from "../exit-codes.ts";
import { askHidden, firstLine } from "../terminal/ask.ts";
import { terminal } from "../terminal/terminal.ts";

/**
 * Gets the new password: a terminal asks for it twice, a pipe passes it as one line, and `--generate` creates one. It
 * is never an argument: every process on the machine may read those.
 */
export async function askForPassword(options: { generate?: true }): Promise<{ password: string; isNew: boolean }> {
  if (options.generate) return { password: newPassword(), isNew: true };
  if (!terminal().stdin.isTTY) {
    const password = await firstLine();
    return password === "" ? { password: newPassword(), isNew: true } : { password, isNew: false };
  }
  const password = await askHidden("New password (empty for one made up): ");
  if (password === "") return { password: newPassword(), isNew: true };
  if ((await askHidden("Once more: ")) !== password) throw new CommandRefused("The two are not the same.");
  return { password, isNew: false };
}
