import { SignalboxProblem } from "../../client/problem.ts";

/** Some changes ask the person to confirm first that it is still them. The dialog registers itself here. */

let askPerson: (() => Promise<boolean>) | null = null;

export function registerConfirmation(ask: () => Promise<boolean>): () => void {
  askPerson = ask;
  return () => {
    if (askPerson === ask) askPerson = null;
  };
}

export async function withConfirmation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAsked = error instanceof SignalboxProblem && error.code === "confirmation_required";
    if (!isAsked || askPerson === null || !(await askPerson())) throw error;
    return work();
  }
}
