import * as z from "zod";
import { passwordCharactersMax, passwordCharactersMin } from "../../identity/passwords/passwords.ts";
import { anyObject } from "../../kernel/any-object.ts";

/** Members that the sign-in operations share. */

/** As typed; its strength is checked elsewhere. */
export const passwordField = z.string().min(1).max(1024).meta({ description: "The password, as it is typed" });

export const newPasswordField = z
  .string()
  .min(passwordCharactersMin)
  .max(1024)
  .meta({
    description: `${passwordCharactersMin} to ${passwordCharactersMax} characters; the most common ones are refused`,
  });

export const codeField = z
  .string()
  .min(6)
  .max(64)
  .regex(/^[\x20-\x7e]+$/)
  .meta({ description: "Six digits from the app, or a recovery code" });

/** Random tokens that are used once. */
export const tokenField = z
  .string()
  .regex(/^[0-9A-Za-z]{43}$/)
  .meta({ description: "From the call that started it" });

const base64url = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[A-Za-z0-9_-]+$/);

/** "What a browser needs": the names inside are those of the Web Authentication specification, in its JSON form. */
export const optionsAnswer = z
  .record(z.string(), z.unknown())
  .meta({ description: "For the browser, in the JSON form of Web Authentication" });

const common = {
  id: base64url(1400).meta({ description: "Names the credential" }),
  rawId: base64url(1400).meta({ description: "The same" }),
  type: z.literal("public-key").meta({ description: "Always `public-key`" }),
  clientExtensionResults: anyObject()
    .default({})
    .transform(() => ({}))
    .meta({ description: "Ignored" }),
};

const clientDataJSON = base64url(4000).meta({ description: "The browser's client data" });

export const passkeyAnswerField = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(4000).meta({ description: "The authenticator's data" }),
      signature: base64url(4000).meta({ description: "The signature over both" }),
    }),
  })
  .meta({ description: "The browser's response, as `PublicKeyCredential.toJSON()` returns it" });

export const newPasskeyField = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON,
      attestationObject: base64url(20_000).meta({ description: "The new key, in CBOR" }),
      transports: z
        .array(z.enum(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]).catch("hybrid"))
        .max(10)
        .default([])
        .meta({ description: "How the authenticator can be reached" }),
    }),
  })
  .meta({ description: "The new passkey, as `PublicKeyCredential.toJSON()` returns it" });

const exampleOf = <T extends object>(response: T) => ({
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key" as const,
  response,
});

export const passkeyExample = exampleOf({ clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" });
export const newPasskeyExample = exampleOf({ clientDataJSON: "e30", attestationObject: "AAAA" });
