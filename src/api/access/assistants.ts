import * as z from "zod";
import { allowsRedirect, readClient } from "../../access/assistants/clients.ts";
import { allowAssistant } from "../../access/assistants/grants.ts";
import { operation, type Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";

const clientFields = {
  client_id: z.string().min(1).max(4000).meta({ description: "As `/oauth/register` returned it" }),
  redirect_uri: z.string().min(1).max(500).meta({ description: "Where the assistant waits for the answer" }),
};

/** What an assistant asks for, for the page on which a person allows it. */
export const assistantOperations = [
  operation({
    path: "/latest/auth/assistants/describe",
    area: "keys",
    summary: "Describe the assistant that asks for access",
    needs: "account",
    audit: null,
    refuses: ["assistant_unknown"],
    input: z.object(clientFields),
    output: z.object({
      client_name: z.string().meta({ description: "As the assistant calls itself" }),
      redirect_host: z.string().meta({ description: "Where the answer goes" }),
    }),
    example: { client_id: "sba_…", redirect_uri: "http://127.0.0.1:33418/callback" },
    async run(_scope, input, rooms) {
      const { name } = requireClient(input, rooms);
      const { host, protocol } = new URL(input.redirect_uri);
      return { client_name: name, redirect_host: host || protocol };
    },
  }),
  operation({
    path: "/latest/auth/assistants/allow",
    area: "keys",
    summary: "Allow an assistant to use a project in your name",
    description:
      "The second step of OAuth 2.1, which the page at `/oauth/authorize` makes. The assistant exchanges the code in `redirect_url` for an access token at `/oauth/token`. The token works at `/mcp` alone, for one hour, and is renewed by a refresh token; it stands among your API keys, where you can revoke it.",
    needs: "project viewer",
    confirmed: true,
    audit: "assistant.allowed",
    refuses: ["assistant_unknown"],
    answersSecret: true,
    input: z.object({
      ...clientFields,
      code_challenge: z
        .string()
        .regex(/^[\w-]{43}$/)
        .meta({ description: "The S256 challenge of PKCE" }),
      state: z.string().max(1000).optional().meta({ description: "Returned unchanged to the assistant" }),
      read_only: z.boolean().default(false).meta({ description: "Only tools that read" }),
      tools: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(200)
        .nullish()
        .meta({ description: "Only these tools, by their names in MCP; default all" }),
    }),
    output: z.object({
      redirect_url: z.string().meta({ description: "Open it: it returns to the assistant" }),
      grant_id: z.string().meta({ description: "Names what was allowed, in the audit log" }),
    }),
    example: {
      client_id: "sba_…",
      redirect_uri: "http://127.0.0.1:33418/callback",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      read_only: true,
    },
    async run(scope, input, rooms) {
      const client = requireClient(input, rooms);
      const { code, grantId } = await allowAssistant(scope, {
        clientId: input.client_id,
        clientName: client.name,
        redirectUri: input.redirect_uri,
        codeChallenge: input.code_challenge,
        readOnly: input.read_only,
        tools: input.tools ?? null,
      });
      const url = new URL(input.redirect_uri);
      url.searchParams.set("code", code);
      if (input.state !== undefined) url.searchParams.set("state", input.state);
      url.searchParams.set("iss", rooms.webhooks.baseUrl);
      return { redirect_url: url.href, grant_id: grantId };
    },
    auditOf: (input, output) => ({
      target: output.grant_id,
      details: {
        redirect_host: new URL(input.redirect_uri).host,
        read_only: input.read_only,
        tools: input.tools ?? null,
      },
    }),
  }),
];

function requireClient(input: { client_id: string; redirect_uri: string }, { seal }: Pick<Rooms, "seal">) {
  const client = readClient(seal, input.client_id);
  if (!client || !allowsRedirect(client, input.redirect_uri)) throw new Problem("assistant_unknown");
  return client;
}
