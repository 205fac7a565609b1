import * as z from "zod";
import type { User } from "../../access/users.ts";

/** The response of every sign-in. */
export const signInOutput = z.object({
  state: z
    .enum(["signed_in", "set_up_second_factor", "code_required", "passkey_required", "choose_organization"])
    .meta({
      description:
        "`signed_in`: the session cookie is set. `set_up_second_factor`: the cookie is set, and allows only to set up a passkey or one-time codes. The others say what is missing",
    }),
  user_id: z.string().nullable().meta({ description: "The account; null until it is known" }),
  organization_id: z.string().nullable().meta({ description: "Its organization; null until it is known" }),
  sign_in_token: z.string().nullable().meta({ description: "For `auth/sign_in/code`, if a code is missing" }),
  organizations: z
    .array(z.object({ organization_id: z.string(), name: z.string() }))
    .meta({ description: "If there are several to choose from: those whose account has this password" }),
});
z.globalRegistry.add(signInOutput, { id: "SignIn" });

export const signedIn = (user: User, state: z.output<typeof signInOutput>["state"] = "signed_in") => ({
  state,
  user_id: user.id,
  organization_id: user.organizationId,
  sign_in_token: null,
  organizations: [],
});
