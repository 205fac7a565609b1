import { resolve } from "node:path";
import { defaultPolicies, type PolicySettings } from "./api/rate-limits.ts";
import { type Region, regions } from "./kernel/regions.ts";
import type { Secret } from "./kernel/secret.ts";
import { modelsFrom } from "./model-settings.ts";
import type { ModelSettings } from "./runs/agent-model.ts";
import {
  oneOf,
  readBaseUrl,
  readDatabaseUrl,
  readHost,
  readMasterKey,
  readPrivateHosts,
  readProxies,
  readRateLimits,
  readRegions,
  readSandboxes,
  readSecretWord,
  readSender,
  readSmtpUrl,
  readWord,
  type Sandboxes,
  type SandboxUrls,
  threeFrom,
  wholeNumber,
} from "./setting-values.ts";

/** A setting that cannot be used, as a sentence that says which and why. */
export class SettingRefused extends Error {}

interface Setting<T> {
  name: `SIGNALBOX_${string}`;
  flag?: `--${string}`;
  /** The text that stands for "not set", or null where there is no such value. */
  standard: string | null;
  means: string;
  read(text: string): T;
}

const setting = <T>(definition: Setting<T>): Setting<T> => definition;

/** Every setting, once. docs/settings.md is written from this list. */
export const settings = {
  port: setting({
    name: "SIGNALBOX_PORT",
    flag: "--port",
    standard: "4100",
    means: "First port P: regions us, eu, au answer at P, P+1, P+2; the sandboxes at P+11, P+12, P+13.",
    read: wholeNumber(1, 65_522),
  }),
  host: setting({
    name: "SIGNALBOX_HOST",
    flag: "--host",
    standard: "127.0.0.1",
    means:
      "Address to listen on. Everything but 127.0.0.1 and ::1 is reachable from other machines: put TLS before it.",
    read: readHost,
  }),
  home: setting({
    name: "SIGNALBOX_HOME",
    flag: "--home",
    standard: "./data",
    means: "The data folder: one SQLite file a region, the master key made on first run, first-run.json.",
    read: (text) => resolve(text),
  }),
  regions: setting({
    name: "SIGNALBOX_REGIONS",
    flag: "--regions",
    standard: "us,eu,au",
    means: "The regions this process serves, with commas between.",
    read: readRegions,
  }),
  firstRun: setting({
    name: "SIGNALBOX_FIRST_RUN",
    flag: "--first-run",
    standard: "off",
    means:
      "`on` (as `npm start` does): makes a master key, and in an empty region an organization, a person, a project and a key.",
    read: oneOf("on", "off"),
  }),
  sandboxes: setting({
    name: "SIGNALBOX_SANDBOXES",
    flag: "--sandboxes",
    standard: "off",
    means:
      "`own` (as `npm start` does): the three sandboxes in a process of their own, ended with the server; `off`; or the base address of the first of three that run already, such as `http://127.0.0.1:4111`.",
    read: readSandboxes,
  }),
  masterKey: setting({
    name: "SIGNALBOX_MASTER_KEY",
    standard: null,
    means: "32 bytes in base64 (`openssl rand -base64 32`): seals secrets at rest. Needed unless first run is on.",
    read: readMasterKey,
  }),
  masterKeyOld: setting({
    name: "SIGNALBOX_MASTER_KEY_OLD",
    standard: null,
    means:
      "While the master key is replaced: the one before, in the same form, so that what it sealed still opens. Set both on every node, run `signalbox rotate-key`, then take this one away.",
    read: readMasterKey,
  }),
  rateLimits: setting({
    name: "SIGNALBOX_RATE_LIMITS",
    standard: null,
    means:
      "`off`, or overrides by name: `default=6000/60,write=1200/60,run=6000/60,invite=200/3600,auth_failure=6000/60,scim=6000/60` (calls/seconds; the seconds may be left out).",
    read: readRateLimits,
  }),
  privateHosts: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS",
    standard: "",
    means:
      "Origins in private address ranges that steps, outgoing webhooks and agents' models may reach, with commas between, such as `http://10.0.0.5:8080`. The sandboxes in use are always allowed.",
    read: readPrivateHosts,
  }),
  inviteDays: setting({
    name: "SIGNALBOX_INVITE_DAYS",
    standard: "7",
    means: "How many days an invite can be accepted, unless the call says otherwise.",
    read: wholeNumber(1, 365),
  }),
  leaseSeconds: setting({
    name: "SIGNALBOX_LEASE_SECONDS",
    standard: "30",
    means:
      "A worker that is not heard of for so many seconds has its runs taken over by another. The same on every node.",
    read: wholeNumber(1, 3600),
  }),
  openaiBaseUrl: setting({
    name: "SIGNALBOX_OPENAI_BASE_URL",
    standard: null,
    means:
      "A server that speaks OpenAI's chat completions, for agents: `https://api.openai.com/v1` where only the key is set. One in a private network must be among SIGNALBOX_PRIVATE_HOSTS.",
    read: readBaseUrl,
  }),
  openaiApiKey: setting({
    name: "SIGNALBOX_OPENAI_API_KEY",
    standard: null,
    means: "Its key. Some servers need none. Agents name models of it as `openai:<model>`.",
    read: readSecretWord,
  }),
  anthropicBaseUrl: setting({
    name: "SIGNALBOX_ANTHROPIC_BASE_URL",
    standard: null,
    means:
      "A server that speaks Anthropic's messages, for agents: `https://api.anthropic.com/v1` where only the key is set. One in a private network must be among SIGNALBOX_PRIVATE_HOSTS.",
    read: readBaseUrl,
  }),
  anthropicApiKey: setting({
    name: "SIGNALBOX_ANTHROPIC_API_KEY",
    standard: null,
    means: "Its key. Agents name models of it as `anthropic:<model>`.",
    read: readSecretWord,
  }),
  defaultModel: setting({
    name: "SIGNALBOX_DEFAULT_MODEL",
    standard: null,
    means:
      "The model of agents that name none: `openai:<model>` or `anthropic:<model>`. Without any model agents follow their rules only.",
    read: readWord,
  }),
  modelTimeoutSeconds: setting({
    name: "SIGNALBOX_MODEL_TIMEOUT_SECONDS",
    standard: "120",
    means: "How long a model may think about one turn; after that it is asked again, a few times.",
    read: wholeNumber(1, 600),
  }),
  smtpUrl: setting({
    name: "SIGNALBOX_SMTP_URL",
    standard: null,
    means:
      "`smtp://user:password@host:587` or `smtps://…`: where mails are handed over. Without it they are written to the log.",
    read: readSmtpUrl,
  }),
  mailFrom: setting({
    name: "SIGNALBOX_MAIL_FROM",
    standard: "Signalbox <signalbox@localhost>",
    means: "The sender of mails.",
    read: readSender,
  }),
  logLevel: setting({
    name: "SIGNALBOX_LOG_LEVEL",
    standard: "info",
    means: "`debug`, `info` (a line for each request), `warn`, `error` or `silent`.",
    read: oneOf("debug", "info", "warn", "error", "silent"),
  }),
  trustedProxies: setting({
    name: "SIGNALBOX_TRUSTED_PROXIES",
    standard: "",
    means: "Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed, with commas between.",
    read: readProxies,
  }),
};

const upper = (region: Region) => region.toUpperCase() as Uppercase<Region>;
const registered = "Registered at the vendor with the redirect address `<base address>/oauth/callback`.";

/** One of each for every region. */
export const regionSettings = {
  databaseUrl: (region: Region) =>
    setting({
      name: `SIGNALBOX_DATABASE_URL_${region.toUpperCase() as Uppercase<Region>}`,
      standard: null,
      means: "A `postgres://` address puts the region on PostgreSQL; otherwise it is a SQLite file in the data folder.",
      read: readDatabaseUrl,
    }),
  baseUrl: (region: Region) =>
    setting({
      name: `SIGNALBOX_BASE_URL_${region.toUpperCase() as Uppercase<Region>}`,
      standard: null,
      means: "The region's public base address, for links and for the wrong-region answer. Default: host and port.",
      read: readBaseUrl,
    }),
  deploymentClientId: (region: Region) =>
    setting({
      name: `SIGNALBOX_DEPLOYMENT_CLIENT_ID_${upper(region)}`,
      standard: null,
      means: `Client id of the integration at the deployment platform, for connecting live accounts in a pop-up. ${registered}`,
      read: readWord,
    }),
  deploymentClientSecret: (region: Region) =>
    setting({
      name: `SIGNALBOX_DEPLOYMENT_CLIENT_SECRET_${upper(region)}`,
      standard: null,
      means: "Its client secret.",
      read: readSecretWord,
    }),
  deploymentIntegrationSlug: (region: Region) =>
    setting({
      name: `SIGNALBOX_DEPLOYMENT_INTEGRATION_SLUG_${upper(region)}`,
      standard: null,
      means: "Its slug, as in `https://vercel.com/integrations/<slug>`.",
      read: readWord,
    }),
  analyticsClientId: (region: Region) =>
    setting({
      name: `SIGNALBOX_ANALYTICS_CLIENT_ID_${upper(region)}`,
      standard: null,
      means: `Client id of the OAuth client at the analytics platform, for connecting live accounts in a pop-up. ${registered}`,
      read: readWord,
    }),
  analyticsClientSecret: (region: Region) =>
    setting({
      name: `SIGNALBOX_ANALYTICS_CLIENT_SECRET_${upper(region)}`,
      standard: null,
      means: "Its client secret.",
      read: readSecretWord,
    }),
};

export interface Config {
  port: number;
  host: string;
  home: string;
  regions: Region[];
  firstRun: boolean;
  sandboxes: Sandboxes;
  masterKey: Secret | null;
  masterKeyOld: Secret | null;
  rateLimits: PolicySettings;
  inviteDays: number;
  leaseSeconds: number;
  smtpUrl: Secret | null;
  mailFrom: string;
  logLevel: string;
  trustedProxies: string[];
  privateHosts: string[];
  /** What agents ask. */
  models: ModelSettings;
  databaseUrls: Record<Region, Secret | null>;
  baseUrls: Record<Region, string>;
  oauthClients: Record<Region, OAuthClients>;
}

/** This region's own applications at the live systems; left out where the operator has registered none. */
export interface OAuthClients {
  deployment?: { id: string; secret: Secret; slug: string };
  analytics?: { id: string; secret: Secret };
}

export type Flags = Partial<Record<keyof typeof settings, string | undefined>>;

/** Environment and flags in, one frozen object out; a flag wins over the environment. */
export function readConfig(environment: NodeJS.ProcessEnv, flags: Flags = {}): Config {
  const read = <T>(definition: Setting<T>, flag?: string): T =>
    readOne(definition, flag ?? environment[definition.name]);
  const optional = <T>(definition: Setting<T>): T | null =>
    environment[definition.name] === undefined || environment[definition.name] === "" ? null : read(definition);
  const port = read(settings.port, flags.port);
  const host = read(settings.host, flags.host);
  return Object.freeze({
    port,
    host,
    home: read(settings.home, flags.home),
    regions: read(settings.regions, flags.regions),
    firstRun: read(settings.firstRun, flags.firstRun) === "on",
    sandboxes: read(settings.sandboxes, flags.sandboxes),
    masterKey: optional(settings.masterKey),
    masterKeyOld: optional(settings.masterKeyOld),
    rateLimits: optional(settings.rateLimits) ?? { ...defaultPolicies },
    inviteDays: read(settings.inviteDays),
    leaseSeconds: read(settings.leaseSeconds),
    smtpUrl: optional(settings.smtpUrl),
    mailFrom: read(settings.mailFrom),
    logLevel: read(settings.logLevel),
    trustedProxies: read(settings.trustedProxies),
    privateHosts: read(settings.privateHosts),
    models: readModels(read, optional),
    databaseUrls: forEachRegion((region) => optional(regionSettings.databaseUrl(region))),
    baseUrls: forEachRegion(
      (region) => optional(regionSettings.baseUrl(region)) ?? `http://${hostInUrl(host)}:${portOf(port, region)}`,
    ),
    oauthClients: forEachRegion((region) => readClients(region, optional)),
  });
}

function readModels(read: <T>(definition: Setting<T>) => T, optional: <T>(definition: Setting<T>) => T | null) {
  const given = {
    openaiBaseUrl: optional(settings.openaiBaseUrl),
    openaiApiKey: optional(settings.openaiApiKey),
    anthropicBaseUrl: optional(settings.anthropicBaseUrl),
    anthropicApiKey: optional(settings.anthropicApiKey),
    defaultModel: optional(settings.defaultModel),
    timeoutSeconds: read(settings.modelTimeoutSeconds),
  };
  const models = modelsFrom(given, read(settings.privateHosts));
  if (typeof models === "string") throw new SettingRefused(models);
  return models;
}

function readClients(region: Region, optional: <T>(definition: Setting<T>) => T | null): OAuthClients {
  const [id, secret, slug] = together(
    optional,
    regionSettings.deploymentClientId(region),
    regionSettings.deploymentClientSecret(region),
    regionSettings.deploymentIntegrationSlug(region),
  );
  const [analyticsId, analyticsSecret] = together(
    optional,
    regionSettings.analyticsClientId(region),
    regionSettings.analyticsClientSecret(region),
  );
  return {
    ...(id && secret && slug ? { deployment: { id, secret, slug } } : {}),
    ...(analyticsId && analyticsSecret ? { analytics: { id: analyticsId, secret: analyticsSecret } } : {}),
  };
}

/** All of them or none: a client without its secret would fail in front of the first person who needs it. */
function together<T extends unknown[]>(
  optional: <V>(definition: Setting<V>) => V | null,
  ...definitions: { [Index in keyof T]: Setting<T[Index]> }
): { [Index in keyof T]: T[Index] | null } {
  const values = definitions.map((definition) => optional(definition));
  const given = definitions.find((_, index) => values[index] !== null);
  const missing = definitions.find((_, index) => values[index] === null);
  if (given && missing) throw new SettingRefused(`${missing.name} is needed too, because ${given.name} is set.`);
  // One value for each definition, in their order.
  return values as { [Index in keyof T]: T[Index] | null };
}

function readOne<T>(definition: Setting<T>, text: string | undefined): T {
  const given = text === undefined || text === "" ? definition.standard : text;
  if (given === null) throw new SettingRefused(`${definition.name} is needed: ${definition.means}`);
  try {
    return definition.read(given);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const flag = definition.flag ? ` (or ${definition.flag})` : "";
    throw new SettingRefused(`${definition.name}${flag} cannot be used: ${why}`);
  }
}

/** Where the sandboxes answer that this process uses; null where it uses none. */
export function sandboxUrlsOf(config: Config): SandboxUrls | null {
  if (config.sandboxes === "off") return null;
  return config.sandboxes === "own" ? threeFrom("127.0.0.1", sandboxPortOf(config.port)) : config.sandboxes;
}

/** The first of the sandboxes' three ports. */
export const sandboxPortOf = (port: number): number => port + 11;

export const portOf = (port: number, region: Region): number => port + regions.indexOf(region);

// Listening on all addresses is no address to call: links name this machine then.
const hostInUrl = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};

const forEachRegion = <T>(make: (region: Region) => T): Record<Region, T> =>
  Object.fromEntries(regions.map((region) => [region, make(region)])) as Record<Region, T>;
