import { Problem } from "../kernel/problem.ts";
import { findStep } from "../systems/index.ts";
import type { Vault } from "../vault/vault.ts";
import type { AllowedStep } from "./agent-record.ts";

/** A step without an account uses the project's only account of its system. */
export async function withAccounts(
  steps: readonly (string | AllowedStep)[],
  projectId: string,
  vault: Pick<Vault, "list">,
): Promise<AllowedStep[]> {
  const named = [];
  for (const [index, step] of steps.entries()) {
    named.push(typeof step === "string" ? { step, connection_id: await onlyAccount(step, index) } : step);
  }
  return named;

  async function onlyAccount(step: string, index: number): Promise<string> {
    const system = findStep(step)?.system.id;
    const refuse = (code: string, detail: string) =>
      new Problem("validation_failed", "The agent names something that does not exist.", {
        errors: [{ pointer: `#/steps/${index}`, code, detail }],
      });
    if (system === undefined) throw refuse("unknown_step", "There is no step with this id.");
    const all = await vault.list(projectId, { after: "", limit: 100, system });
    const [only, ...others] = all.filter(({ state }) => state !== "removed");
    if (!only) throw refuse("unknown_connection", `The project has no connection to ${system}.`);
    if (others.length > 0) {
      throw refuse("which_connection", "There are several accounts: write `{step, connection_id}`.");
    }
    return only.id;
  }
}
