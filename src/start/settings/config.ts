import { join } from "node:path";
import type { ModelSettings } from "../../agents/models/model.ts";
import { defaultPolicies, type PolicySettings } from "../../calls/rate-limits/default-quotas.ts";
import { type Region, regions } from "../../kernel/regions.ts";
import type { Secret } from "../../kernel/secret.ts";
import { type SystemId, systemIds } from "../../systems/index.ts";
import { originsOpenTo, type PrivateHost, type Use } from "../../transport/private-hosts.ts";
import { callerSettings } from "./caller-settings.ts";
import type { Setting } from "./define-setting.ts";
import { modelOriginsOf, modelsFrom } from "./model-settings.ts";
import { type Sandboxes, type SandboxUrls, sandboxUrlsFrom } from "./read-setting-values.ts";
import { allRegionSettings, clientSettingsOf, regionSettings } from "./region-settings.ts";
import { processesOf, processHint, requireShared } from "./roles-and-processes.ts";
import { SettingRefused } from "./setting-refused.ts";
import { sandboxOffset, settings } from "./settings.ts";
import { unknownSetting } from "./unknown-settings.ts";

export interface Config {
  port: number;
  host: string;
  home: string;
  /** Where records are exported before they are deleted. */
  archiveFolder: string;
  regions: Region[];
  /** What this process does: serve calls, work on runs, or both. */
  role: "all" | "api" | "worker";
  /** How many processes serve together; settings that count for all of them are divided by it. */
  processes: number;
  /** Whether other servers may use the same SQLite files. */
  sharedFolder: boolean;
  firstRun: boolean;
  sandboxes: Sandboxes;
  masterKey: Secret | null;
  masterKeyOld: Secret | null;
  rateLimits: PolicySettings;
  inviteDays: number;
  leaseSeconds: number;
  settleSeconds: number | null;
  smtpUrl: Secret | null;
  mailFrom: string;
  logLevel: string;
  logFormat: "auto" | "json" | "text";
  trustedProxies: string[];
  connectionsMax: number;
  connectionsPerAddressMax: number;
  /** The private addresses that each use may reach. */
  privateHosts: Record<Use, readonly PrivateHost[]>;
  /** Advice about settings that work but could be better. */
  hints: string[];
  /** The models that agents use. */
  models: ModelSettings;
  databaseUrls: Record<Region, Secret | null>;
  /** Streaming replicas, for some lists. */
  replicaUrls: Record<Region, Secret | null>;
  /** Of each process, for each region. */
  databaseConnections: number;
  baseUrls: Record<Region, string>;
  oauthClients: Record<Region, OAuthClients>;
  /** Null unless a collector is configured. */
  telemetry: TelemetrySettings | null;
}

/** Where traces and metrics go. */
export interface TelemetrySettings {
  endpoint: string;
  headers: Secret | null;
  traces: boolean;
  metrics: boolean;
  metricsMilliseconds: number;
  serviceName: string;
  traceShare: number;
}

/** This region's OAuth clients at the live systems; omitted if the operator has registered none. */
export type OAuthClients = Partial<Record<SystemId, { id: string; secret: Secret; slug?: string }>>;

export type Flags = Partial<Record<keyof typeof settings, string | undefined>>;

/** Reads environment and flags into one frozen object; a flag wins over the environment. */
export function readConfig(environment: NodeJS.ProcessEnv, flags: Flags = {}): Config {
  const unknown = unknownSetting(environment, allSettingNames());
  if (unknown !== null) throw new SettingRefused(unknown);
  const read = <T>(definition: Setting<T>, flag?: string): T =>
    readOne(definition, flag ?? environment[definition.name]);
  const optional = <T>(definition: Setting<T>): T | null => readIfSet(environment, definition);
  const port = read(settings.port, flags.port);
  const host = read(settings.host, flags.host);
  const home = read(settings.home, flags.home);
  const models = readModels(read, optional);
  const privateHosts = readHosts(read, optional, models);
  const regions = read(settings.regions, flags.regions);
  const databaseUrls = forEachRegion((region) => optional(regionSettings.databaseUrl(region)));
  const processes = read(settings.processes, flags.processes);
  return Object.freeze({
    port,
    host,
    home,
    archiveFolder: optional(settings.archiveFolder) ?? join(home, "archive"),
    regions,
    role: requireShared(read(settings.role, flags.role), regions, databaseUrls),
    processes: processesOf(processes, regions, databaseUrls),
    sharedFolder: read(settings.sharedFolder) === "on",
    firstRun: read(settings.firstRun, flags.firstRun) === "on",
    sandboxes: read(settings.sandboxes, flags.sandboxes),
    masterKey: optional(settings.masterKey),
    masterKeyOld: optional(settings.masterKeyOld),
    rateLimits: optional(settings.rateLimits) ?? { ...defaultPolicies },
    inviteDays: read(settings.inviteDays),
    leaseSeconds: read(settings.leaseSeconds),
    settleSeconds: optional(settings.settleSeconds),
    smtpUrl: optional(settings.smtpUrl),
    mailFrom: read(settings.mailFrom),
    logLevel: read(settings.logLevel),
    logFormat: read(settings.logFormat),
    trustedProxies: read(settings.trustedProxies),
    connectionsMax: read(settings.connectionsMax),
    connectionsPerAddressMax: read(settings.connectionsPerAddressMax),
    privateHosts,
    hints: [...hintsOf(read, optional, privateHosts), ...processHint(processes, regions, databaseUrls)],
    models,
    databaseUrls,
    replicaUrls: forEachRegion((region) => readReplica(region, databaseUrls[region], optional)),
    databaseConnections: read(settings.databaseConnections),
    baseUrls: forEachRegion(
      (region) => optional(regionSettings.baseUrl(region)) ?? `http://${hostInUrl(host)}:${portOf(port, region)}`,
    ),
    oauthClients: forEachRegion((region) => readClients(region, optional)),
    telemetry: readTelemetry(read, optional),
  });
}

function readReplica(region: Region, primary: Secret | null, optional: Optional): Secret | null {
  const replica = regionSettings.replicaUrl(region);
  const url = optional(replica);
  if (url === null || primary !== null) return url;
  throw new SettingRefused(`${regionSettings.databaseUrl(region).name} is required because ${replica.name} is set.`);
}

function readTelemetry(read: Read, optional: Optional): TelemetrySettings | null {
  const endpoint = optional(settings.otlpEndpoint);
  const given = {
    headers: optional(settings.otlpHeaders),
    traces: read(settings.otlpTraces) === "otlp",
    metrics: read(settings.otlpMetrics) === "otlp",
    metricsMilliseconds: read(settings.otlpMetricsMilliseconds),
    serviceName: read(settings.serviceName),
    traceShare: read(settings.traceShare),
  };
  return endpoint === null ? null : { endpoint, ...given };
}

const allSettingNames = (): string[] =>
  [...Object.values(settings), ...Object.values(callerSettings), ...allRegionSettings()].map(({ name }) => name);

export function readIfSet<T>(environment: NodeJS.ProcessEnv, definition: Setting<T>): T | null {
  const text = environment[definition.name];
  return text === undefined || text === "" ? null : readOne(definition, text);
}

type Read = <T>(definition: Setting<T>) => T;
type Optional = <T>(definition: Setting<T>) => T | null;

/**
 * Tenants choose the addresses of steps, webhooks and identity providers, so each use has a list. The operator chooses
 * the addresses of models: models may reach only those private addresses.
 */
function readHosts(read: Read, optional: Optional, models: ModelSettings): Config["privateHosts"] {
  const both = read(settings.privateHosts);
  return {
    steps: [...both, ...read(settings.privateHostsSteps)],
    webhooks: [...both, ...read(settings.privateHostsWebhooks)],
    models: modelOriginsOf(models).filter((origin) => modelHosts(read).includes(origin)),
    identity: optional(settings.privateHostsIdentity) ?? both,
  };
}

/** Before there was a setting for models, their addresses were in the general list; those still work. */
const modelHosts = (read: Read): string[] => [
  ...read(settings.privateHostsModels),
  ...originsOpenTo(read(settings.privateHosts), undefined),
];

/** Hints about settings that work but are wider than needed. */
function hintsOf(read: Read, optional: Optional, privateHosts: Config["privateHosts"]): string[] {
  const own = read(settings.privateHostsModels);
  const shared = privateHosts.models.map(String).filter((origin) => !own.includes(origin));
  const both = read(settings.privateHosts).length > 0;
  return [
    ...shared.map(
      (origin) =>
        `${origin} is the address of a model server. In ${settings.privateHosts.name}, the steps and webhooks of every organization can reach it too; move it to ${settings.privateHostsModels.name}.`,
    ),
    ...(both && optional(settings.privateHostsIdentity) === null
      ? [
          `${settings.privateHosts.name} applies to identity providers too, because ${settings.privateHostsIdentity.name} is not set. List their addresses there, or set it to none.`,
        ]
      : []),
  ];
}

function readModels(read: Read, optional: Optional): ModelSettings {
  const given = {
    openaiBaseUrl: optional(settings.openaiBaseUrl),
    openaiApiKey: optional(settings.openaiApiKey),
    anthropicBaseUrl: optional(settings.anthropicBaseUrl),
    anthropicApiKey: optional(settings.anthropicApiKey),
    defaultModel: optional(settings.defaultModel),
    timeoutSeconds: read(settings.modelTimeoutSeconds),
    callsMax: read(settings.modelCallsMax),
  };
  const models = modelsFrom(given, modelHosts(read));
  if (typeof models === "string") throw new SettingRefused(models);
  return models;
}

function readClients(region: Region, optional: Optional): OAuthClients {
  const clients: OAuthClients = {};
  for (const system of systemIds) {
    const client = clientSettingsOf(system, region);
    if (!client) continue;
    const [id, secret, slug] = client.slug
      ? allOrNone(optional, client.id, client.secret, client.slug)
      : [...allOrNone(optional, client.id, client.secret), undefined];
    if (id && secret && slug !== null) clients[system] = { id, secret, ...(slug && { slug }) };
  }
  return clients;
}

/** All of them or none: a client without its secret would fail at the first user's sign-in. */
function allOrNone<T extends unknown[]>(
  optional: <V>(definition: Setting<V>) => V | null,
  ...definitions: { [Index in keyof T]: Setting<T[Index]> }
): { [Index in keyof T]: T[Index] | null } {
  const values = definitions.map((definition) => optional(definition));
  const given = definitions.find((_, index) => values[index] !== null);
  const missing = definitions.find((_, index) => values[index] === null);
  if (given && missing) throw new SettingRefused(`${missing.name} is required because ${given.name} is set.`);
  // One value per definition, in order.
  return values as { [Index in keyof T]: T[Index] | null };
}

function readOne<T>(definition: Setting<T>, text: string | undefined): T {
  const given = text === undefined || text === "" ? definition.defaultText : text;
  if (given === null) throw new SettingRefused(`${definition.name} is required: ${definition.means}`);
  try {
    return definition.read(given);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const flag = definition.flag ? ` (or ${definition.flag})` : "";
    throw new SettingRefused(`${definition.name}${flag} cannot be used: ${why}`);
  }
}

/** The sandboxes that this process uses, or null. */
export function sandboxUrlsOf(config: Config): SandboxUrls | null {
  if (config.sandboxes === "off") return null;
  return config.sandboxes === "own" ? sandboxUrlsFrom("127.0.0.1", sandboxPortOf(config.port)) : config.sandboxes;
}

/** The first port of the sandboxes. */
export const sandboxPortOf = (port: number): number => port + sandboxOffset;

export const portOf = (port: number, region: Region): number => port + regions.indexOf(region);

// A wildcard address cannot be called: links then name this machine.
const hostInUrl = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};

const forEachRegion = <T>(make: (region: Region) => T): Record<Region, T> =>
  Object.fromEntries(regions.map((region) => [region, make(region)])) as Record<Region, T>;
