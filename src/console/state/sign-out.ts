import { paths } from "../paths.ts";
import { callFor } from "./call-for.ts";
import { forgetPerson } from "./same-person.ts";

/** Ends the session. The browser's other pages begin again too. */
export async function signOut(): Promise<void> {
  await callFor(null)("/latest/auth/sign_out", {}).catch(() => {});
  forgetPerson();
  window.location.assign(paths.signIn("/"));
}
