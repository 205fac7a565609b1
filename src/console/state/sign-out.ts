import { useSyncExternalStore } from "react";
import { SignalboxProblem } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { callFor } from "./call-for.ts";
import { forgetPerson } from "./same-person.ts";

/** Ends the session. The browser's other pages begin again too. If it fails, the session lives on, and a banner says so. */
export async function signOut(): Promise<void> {
  setFailed(false);
  try {
    await callFor(null)("/latest/auth/sign_out", {});
  } catch (error) {
    // 401: it has ended already.
    if (!(error instanceof SignalboxProblem && error.status === 401)) return setFailed(true);
  }
  forgetPerson();
  window.location.assign(paths.signIn("/"));
}

let hasFailed = false;
const listeners = new Set<() => void>();

function setFailed(value: boolean): void {
  hasFailed = value;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSignOutFailed = (): boolean => useSyncExternalStore(subscribe, () => hasFailed);
