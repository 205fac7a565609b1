import { operations } from "../api/index.ts";
import { areas, titleOfNeeds } from "../api/reference/area-titles.ts";
import { fieldMeanings } from "../api/reference/field-meanings.ts";
import { type NamedSchemas, namedAnswerSchemaOf, namedBodySchemaOf } from "../api/reference/named-schemas.ts";
import { operationIdOf } from "../api/reference/operation-ids.ts";
import { exampleBodyOf, isReserved, namesInPath } from "../api/reference/operation-schemas.ts";
import { problemsOf } from "../api/reference/problems-of-operation.ts";
import type { Operation } from "../calls/define-operation.ts";
import { type ProblemCode, problems } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { SignatureScheme } from "../systems/events.ts";
import { eventSenders } from "../systems/index.ts";
import { contractVersion } from "./contract-version.ts";
import { cookieName } from "./cookies.ts";
import { webhookPath } from "./serve-agent-webhooks.ts";

type Json = Record<string, unknown>;

/** The whole contract as OpenAPI 3.1, generated from the values that serve it. */
export function openApiDocument(baseUrl: string, region: Region = "us"): Json {
  const { paths, schemas } = describeAll(region);
  return {
    openapi: "3.1.0",
    info: {
      title: "Signalbox",
      version: contractVersion,
      description:
        "Projects, people, keys and audit of an organization; connected accounts, steps, tools, runs, agents and events. Every operation is a POST with a JSON object.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map((operation) => operation.area))].map((name) => ({
      name,
      description: areas[name].opening,
    })),
    paths: { ...paths, [webhookPath]: { post: describeWebhook() } },
    components: {
      securitySchemes: {
        key: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`Bearer <project_id>:<api_key>`, or `Bearer :<api_key>` where no project is needed",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: cookieName(region),
          description:
            "Set by signing in; the project is named in `X-Signalbox-Project`. Only from the region's own pages.",
        },
      },
      schemas: { Problem: problemSchema, ...schemas },
    },
    security: [{ key: [] }, { session: [] }],
  };
}

/** Every operation, and the named schemas that they refer to. */
function describeAll(region: Region): { paths: Json; schemas: NamedSchemas } {
  const named: NamedSchemas = {};
  const paths: Json = {};
  for (const operation of operations) paths[operation.path] = { post: describe(operation, named, region) };
  const schemas = Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, schemas };
}

function describe(operation: Operation, named: NamedSchemas, region: Region): Json {
  const description = [operation.description, `Needs: ${titleOfNeeds(operation.needs)}.`].filter(Boolean).join("\n\n");
  return {
    operationId: operationIdOf(operation.path),
    tags: [operation.area],
    summary: operation.summary,
    description,
    "x-required-role": operation.needs,
    ...(operation.audit === null ? {} : { "x-audit": operation.audit }),
    ...(operation.needs === "nobody" ? { security: [] } : {}),
    parameters: [
      ...namesInPath(operation).map(pathParameter),
      ...(operation.audit === null || operation.needs === "nobody" ? [] : [idempotencyHeader]),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: namedBodySchemaOf(operation, named),
          example: withWholeIds(exampleBodyOf(operation), region),
        },
      },
    },
    responses: { ...successOf(operation, named), ...errorsOf(operation) },
  };
}

/** Examples shorten ids to `org_us_…`, which breaks the pattern of ids. */
const withWholeIds = (example: Json, region: Region): unknown =>
  JSON.parse(JSON.stringify(example).replaceAll("…", "01kab3x9q700008h2mv6w4kzpn").replaceAll("_us_", `_${region}_`));

/** Problems of an address that takes no key. */
const webhookProblems: readonly ProblemCode[] = [
  "malformed_request",
  "signature_invalid",
  "agent_not_found",
  "method_not_allowed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
  "event_queue_full",
  "compute_exhausted",
  "storage_full",
];

const hexDigits: Record<SignatureScheme["hash"], number> = { sha1: 40, sha256: 64 };

const signatureParameter = ({ header, hash }: SignatureScheme): Json => ({
  name: header,
  in: "header",
  required: false,
  description: `HMAC-${hash.toUpperCase()} of the body's bytes, in hex; required unless the agent's \`webhook_signature\` is \`off\``,
  schema: { type: "string", pattern: `^[0-9a-f]{${hexDigits[hash]}}$` },
});

/** The webhook address of an agent. It is not an operation, because it takes no key. */
const describeWebhook = (): Json => ({
  operationId: "sendAgentEvent",
  tags: ["agents"],
  summary: "Tell an agent of an event",
  description:
    "For senders of events: the address is an agent's `webhook_url`, and the body is signed with one of its secrets. It responds once the event is stored. The same event, sent again within seven days, returns the first response.",
  "x-required-role": "nobody",
  security: [],
  parameters: [
    ...["agent_id", "webhook_token"].map(pathParameter),
    ...eventSenders.map(({ signature }) => signatureParameter(signature)),
  ],
  requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
  responses: {
    202: {
      description: "Kept",
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["event_id", "run_id"],
            properties: {
              event_id: { type: "string", description: "Names the event" },
              run_id: {
                type: ["string", "null"],
                description: "The run it started; null where no rule fits, or it waits",
              },
            },
          },
        },
      },
    },
    ...responsesOf(webhookProblems),
  },
});

const successOf = (operation: Operation, named: NamedSchemas): Json =>
  isReserved(operation)
    ? { default: { description: "Reserved for a later release: no call succeeds yet.", content: problemContent } }
    : {
        200: {
          description: "Done",
          headers: { "X-Request-Id": { schema: { type: "string" } }, RateLimit: { schema: { type: "string" } } },
          content: { "application/json": { schema: namedAnswerSchemaOf(operation, named) } },
        },
      };

const problemContent: Json = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

const errorsOf = (operation: Operation): Json => responsesOf(problemsOf(operation));

function responsesOf(codes: readonly ProblemCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, some]) => [status, errorResponse(some)]),
  );
}

const errorResponse = (codes: ProblemCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${problems[code].means}`).join("\n\n"),
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Problem" },
          { type: "object", properties: { code: { type: "string", enum: codes } } },
        ],
      },
    },
  },
});

const pathParameter = (name: string): Json => ({
  name,
  in: "path",
  required: true,
  ...(fieldMeanings[name] === undefined ? {} : { description: fieldMeanings[name] }),
  schema: { type: "string" },
});

const idempotencyHeader: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A repeat with the same key returns the response of the first call and changes nothing. Kept for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const problemSchema: Json = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "code", "request_id"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    code: { type: "string" },
    request_id: { type: "string" },
    remedy: { type: "string", description: "What to do next" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "code", "detail"],
        properties: { pointer: { type: "string" }, code: { type: "string" }, detail: { type: "string" } },
      },
    },
    errors_omitted: { type: "integer", description: "How many more errors there are: a hundred are shown at most" },
  },
};
