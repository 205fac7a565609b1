import * as z from "zod";
import {
  openDocument,
  readClient,
  redirectHostOf,
  requireRedirect,
  sealDocument,
} from "../../access/assistants/oauth-clients.ts";
import { allowAssistant } from "../../access/assistants/oauth-grants.ts";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { isDocumentAddress } from "../../identity/assistant-documents.ts";
import { rowsThatFit } from "../../store/page-rows.ts";
import { effectsOf } from "../../tools/effects.ts";
import { listPublished, listPublishedSizes, type PublishedTool } from "../../tools/tool-names.ts";

const clientFields = {
  client_id: z.string().min(1).max(4000).meta({
    description: "As `/oauth/register` returned it, or the address of the assistant's metadata document",
  }),
  redirect_uri: z.string().min(1).max(500).meta({ description: "The address to which the browser returns" }),
};

/** What an assistant asks for, for the page on which a person allows it. */
export const assistantOperations = [
  externalOperation({
    path: "/latest/auth/assistants/describe",
    area: "keys",
    summary: "Describe the assistant that asks for access",
    needs: "account",
    audit: null,
    refuses: ["assistant_unknown"],
    input: z.object(clientFields),
    output: z.object({
      client_name: z.string().meta({ description: "As the assistant calls itself" }),
      redirect_host: z.string().meta({
        description: "The host to which the browser returns; with its scheme, if that is neither http nor https",
      }),
      client_host: z
        .string()
        .nullable()
        .meta({ description: "Whose document describes the assistant; null for one that registered itself" }),
      client_document: z
        .string()
        .nullable()
        .meta({ description: "What the document said, sealed for 15 minutes, for `allow`; null without a document" }),
    }),
    example: { client_id: "sba_…", redirect_uri: "http://127.0.0.1:33418/callback" },
    async run({ actor, now }, input, { seal, assistantDocuments }) {
      const { client_id: id, redirect_uri: uri } = input;
      const hasDocument = isDocumentAddress(id);
      const client = hasDocument ? await assistantDocuments.read(id, actor.organizationId) : readClient(seal, id);
      const { name } = requireRedirect(client, uri);
      return {
        client_name: name,
        redirect_host: redirectHostOf(uri),
        client_host: hasDocument ? new URL(id).host : null,
        client_document: client && hasDocument ? sealDocument(seal, id, client, now()) : null,
      };
    },
  }),
  operation({
    path: "/latest/auth/assistants/tools",
    area: "keys",
    summary: "List the published tools that an assistant can be allowed to use",
    description: "Beside them, an assistant can be allowed the steps of `steps/list`, by their ids.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(
      z.object({
        tool_id: z.string(),
        name: z.string().nullable().meta({
          description: "Its name in MCP; null for a tool that was published before names and not listed since",
        }),
        title: z.string(),
        read_only: z.boolean().meta({ description: "Whether it only reads" }),
      }),
    ),
    example: {},
    async run(scope, input) {
      const project = projectOf(scope);
      const page = onePageOf(input);
      const limit = rowsThatFit(await listPublishedSizes(scope.db, project, page), input.limit);
      const rows = await listPublished(scope.db, project, { ...page, limit: limit + 1 });
      return toPage(rows, limit, ({ id }) => id, toAllowable);
    },
  }),
  operation({
    path: "/latest/auth/assistants/allow",
    area: "keys",
    summary: "Allow an assistant to use a project in your name",
    description:
      "The second step of OAuth 2.1, which the page at `/oauth/authorize` makes. The assistant exchanges the code in `redirect_url` for an access token at `/oauth/token`. The token works at `/mcp` alone, for one hour, and is renewed by a refresh token; it stands among your API keys, where you can revoke it. A program that allows an assistant needs a key that is not restricted to projects or to a role: like a key that it creates, this access outlives it.",
    needs: "project viewer",
    confirmed: true,
    audit: "assistant.allowed",
    countsAs: "write",
    refuses: ["assistant_unknown"],
    answersSecret: true,
    input: z.object({
      ...clientFields,
      client_document: z
        .string()
        .max(8000)
        .nullish()
        .meta({ description: "As `describe` returned it, for an assistant with a metadata document" }),
      code_challenge: z
        .string()
        .regex(/^[\w-]{43}$/)
        .meta({ description: "The S256 challenge of PKCE" }),
      state: z.string().max(1000).optional().meta({ description: "Returned unchanged to the assistant" }),
      read_only: z.boolean().default(false).meta({ description: "Only tools that read" }),
      max_role: z
        .enum(["viewer", "editor", "admin"])
        .nullish()
        .meta({ description: "The assistant acts with this role at most; default your own" }),
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
      const { client_id: id, client_document: document } = input;
      const { seal } = rooms;
      const known = isDocumentAddress(id) ? openDocument(seal, id, document ?? "", scope.now()) : readClient(seal, id);
      const client = requireRedirect(known, input.redirect_uri);
      const { code, grantId } = await allowAssistant(scope, {
        clientId: input.client_id,
        clientName: client.name,
        redirectUri: input.redirect_uri,
        codeChallenge: input.code_challenge,
        readOnly: input.read_only,
        maxRole: input.max_role ?? null,
        tools: input.tools ?? null,
      });
      const url = new URL(input.redirect_uri);
      url.searchParams.set("code", code);
      if (input.state !== undefined) url.searchParams.set("state", input.state);
      url.searchParams.set("iss", rooms.baseUrl);
      return { redirect_url: url.href, grant_id: grantId };
    },
    auditOf: (input, output) => ({
      target: output.grant_id,
      details: {
        redirect_host: redirectHostOf(input.redirect_uri),
        read_only: input.read_only,
        max_role: input.max_role ?? null,
        tools: input.tools ?? null,
      },
    }),
  }),
];

const toAllowable = ({ id, name, definition }: PublishedTool) => ({
  tool_id: id,
  name,
  title: definition.title,
  read_only: effectsOf(definition).every((effect) => effect === "read"),
});
