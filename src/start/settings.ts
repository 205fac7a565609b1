import { resolve } from "node:path";
import { systems } from "../systems/index.ts";
import { setting } from "./define-setting.ts";
import {
  oneOf,
  readBaseUrl,
  readHost,
  readMasterKey,
  readModelHosts,
  readPrivateHosts,
  readProxies,
  readRateLimits,
  readRegions,
  readSandboxes,
  readSecretWord,
  readSender,
  readSmtpUrl,
  readWord,
  wholeNumber,
} from "./setting-values.ts";

/** The first sandbox listens this many ports after the first region. */
export const sandboxOffset = 11;
export const sandboxPorts = systems.map((_system, index) => `P+${sandboxOffset + index}`).join(", ");
const settleDefaults = systems
  .map(({ id, settlesWithinSeconds: seconds }) => `${id} ${seconds ?? "asks a person"}`)
  .join(", ");

/** Every setting, once. docs/settings.md is generated from this list. */
export const settings = {
  port: setting({
    name: "SIGNALBOX_PORT",
    flag: "--port",
    defaultText: "4100",
    means: `First port P: regions us, eu, au answer at P, P+1, P+2; the sandboxes at ${sandboxPorts}.`,
    read: wholeNumber(1, 65_535 - sandboxOffset - systems.length + 1),
  }),
  host: setting({
    name: "SIGNALBOX_HOST",
    flag: "--host",
    defaultText: "127.0.0.1",
    means:
      "Address to listen on. Everything but 127.0.0.1 and ::1 is reachable from other machines: put TLS before it.",
    read: readHost,
  }),
  home: setting({
    name: "SIGNALBOX_HOME",
    flag: "--home",
    defaultText: "./data",
    means: "The data folder: one SQLite file a region, the master key made on first run, first-run.json.",
    read: (text) => resolve(text),
  }),
  regions: setting({
    name: "SIGNALBOX_REGIONS",
    flag: "--regions",
    defaultText: "us,eu,au",
    means: "The regions this process serves, with commas between.",
    read: readRegions,
  }),
  firstRun: setting({
    name: "SIGNALBOX_FIRST_RUN",
    flag: "--first-run",
    defaultText: "off",
    means:
      "`on` (as `npm start` does): makes a master key, and in an empty region an organization, a person, a project and a key.",
    read: oneOf("on", "off"),
  }),
  sandboxes: setting({
    name: "SIGNALBOX_SANDBOXES",
    flag: "--sandboxes",
    defaultText: "off",
    means:
      "`own` (as `npm start` does): the sandboxes in a process of their own, ended with the server; `off`; or the base address of the first of those that run already, such as `http://127.0.0.1:4111`.",
    read: readSandboxes,
  }),
  masterKey: setting({
    name: "SIGNALBOX_MASTER_KEY",
    defaultText: null,
    means: "32 bytes in base64 (`openssl rand -base64 32`): seals secrets at rest. Needed unless first run is on.",
    read: readMasterKey,
  }),
  masterKeyOld: setting({
    name: "SIGNALBOX_MASTER_KEY_OLD",
    defaultText: null,
    means:
      "While the master key is replaced: the one before, in the same form, so that what it sealed still opens. Set both on every node, run `signalbox rotate-key`, then take this one away.",
    read: readMasterKey,
  }),
  rateLimits: setting({
    name: "SIGNALBOX_RATE_LIMITS",
    defaultText: null,
    means:
      "`off`, or overrides by name: `default=6000/60,write=1200/60,run=6000/60,invite=200/3600,auth_failure=6000/60,scim=6000/60,sign_in=300/60,sign_in_failure=10/900` (calls/seconds; the seconds may be left out).",
    read: readRateLimits,
  }),
  privateHosts: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS",
    defaultText: "",
    means:
      "Origins in private address ranges that steps and outgoing webhooks may reach, with commas between, such as `http://10.0.0.5:8080`. `=` and the ids of organizations behind one, with `+` between, open it to these alone: `http://10.0.0.5:8080=org_us_…+org_us_…`. The sandboxes in use are always allowed, to accounts at the sandboxes. The four settings below open addresses for one use each.",
    read: readPrivateHosts,
  }),
  privateHostsSteps: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_STEPS",
    defaultText: "",
    means: "Origins in private address ranges that steps may reach, in the same form, besides SIGNALBOX_PRIVATE_HOSTS.",
    read: readPrivateHosts,
  }),
  privateHostsWebhooks: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS",
    defaultText: "",
    means:
      "Origins in private address ranges that outgoing webhooks may reach, in the same form, besides SIGNALBOX_PRIVATE_HOSTS.",
    read: readPrivateHosts,
  }),
  privateHostsModels: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_MODELS",
    defaultText: "",
    means:
      "Origins in private address ranges where models may be, without organizations. Only the servers of SIGNALBOX_OPENAI_BASE_URL and SIGNALBOX_ANTHROPIC_BASE_URL are ever called for models.",
    read: readModelHosts,
  }),
  privateHostsIdentity: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_IDENTITY",
    defaultText: null,
    means:
      "Origins in private address ranges where identity providers may be, in the same form, or `none`. While it is not set, SIGNALBOX_PRIVATE_HOSTS counts for them, as it did before there was this setting.",
    read: readPrivateHosts,
  }),
  inviteDays: setting({
    name: "SIGNALBOX_INVITE_DAYS",
    defaultText: "7",
    means: "How many days an invite can be accepted, unless the call says otherwise.",
    read: wholeNumber(1, 365),
  }),
  leaseSeconds: setting({
    name: "SIGNALBOX_LEASE_SECONDS",
    defaultText: "30",
    means:
      "A worker that is not heard of for so many seconds has its runs taken over by another. The same on every node.",
    read: wholeNumber(1, 3600),
  }),
  settleSeconds: setting({
    name: "SIGNALBOX_SETTLE_SECONDS",
    defaultText: null,
    means: `How many seconds a system may still be at work on a request whose answer was lost. Before that, nothing is sent again because it is not there. Unless set: ${settleDefaults}.`,
    read: wholeNumber(1, 3600),
  }),
  openaiBaseUrl: setting({
    name: "SIGNALBOX_OPENAI_BASE_URL",
    defaultText: null,
    means:
      "A server that speaks OpenAI's chat completions, for agents: `https://api.openai.com/v1` where only the key is set. One in a private network must be among SIGNALBOX_PRIVATE_HOSTS_MODELS.",
    read: readBaseUrl,
  }),
  openaiApiKey: setting({
    name: "SIGNALBOX_OPENAI_API_KEY",
    defaultText: null,
    means: "Its key. Some servers need none. Agents name models of it as `openai:<model>`.",
    read: readSecretWord,
  }),
  anthropicBaseUrl: setting({
    name: "SIGNALBOX_ANTHROPIC_BASE_URL",
    defaultText: null,
    means:
      "A server that speaks Anthropic's messages, for agents: `https://api.anthropic.com/v1` where only the key is set. One in a private network must be among SIGNALBOX_PRIVATE_HOSTS_MODELS.",
    read: readBaseUrl,
  }),
  anthropicApiKey: setting({
    name: "SIGNALBOX_ANTHROPIC_API_KEY",
    defaultText: null,
    means: "Its key. Agents name models of it as `anthropic:<model>`.",
    read: readSecretWord,
  }),
  defaultModel: setting({
    name: "SIGNALBOX_DEFAULT_MODEL",
    defaultText: null,
    means:
      "The model of agents that name none: `openai:<model>` or `anthropic:<model>`. Without any model agents follow their rules only.",
    read: readWord,
  }),
  modelTimeoutSeconds: setting({
    name: "SIGNALBOX_MODEL_TIMEOUT_SECONDS",
    defaultText: "120",
    means: "How long a model may think about one turn; after that it is asked again, a few times.",
    read: wholeNumber(1, 600),
  }),
  modelCallsMax: setting({
    name: "SIGNALBOX_MODEL_CALLS_MAX",
    defaultText: "32",
    means:
      "How many turns this process asks models for at once. Further ones wait, and leave room for other runs: a process works on 64.",
    read: wholeNumber(1, 1000),
  }),
  smtpUrl: setting({
    name: "SIGNALBOX_SMTP_URL",
    defaultText: null,
    means:
      "`smtp://user:password@host:587` or `smtps://…`: where mails are handed over. Without it each is kept in `<region>.unsent-mails.txt` in the data folder, and the log says so.",
    read: readSmtpUrl,
  }),
  mailFrom: setting({
    name: "SIGNALBOX_MAIL_FROM",
    defaultText: "Signalbox <signalbox@localhost>",
    means: "The sender of mails.",
    read: readSender,
  }),
  logLevel: setting({
    name: "SIGNALBOX_LOG_LEVEL",
    defaultText: "info",
    means: "`debug`, `info` (a line for each request), `warn`, `error` or `silent`.",
    read: oneOf("debug", "info", "warn", "error", "silent"),
  }),
  trustedProxies: setting({
    name: "SIGNALBOX_TRUSTED_PROXIES",
    defaultText: "",
    means: "Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed, with commas between.",
    read: readProxies,
  }),
  connectionsMax: setting({
    name: "SIGNALBOX_CONNECTIONS_MAX",
    defaultText: "10000",
    means: "How many connections this process keeps open, all regions together. Further ones are answered 503.",
    read: wholeNumber(10, 1_000_000),
  }),
  connectionsPerAddressMax: setting({
    name: "SIGNALBOX_CONNECTIONS_PER_ADDRESS_MAX",
    defaultText: "1000",
    means:
      "How many of them one address may have, an IPv6 network of 64 bits counting as one. Further ones are answered 429. Proxies among SIGNALBOX_TRUSTED_PROXIES, 127.0.0.1 and ::1 have no such limit.",
    read: wholeNumber(1, 1_000_000),
  }),
};

/** Settings of commands that call a running server; the server itself reads none of them. */
export const callerSettings = {
  apiKey: setting({
    name: "SIGNALBOX_API_KEY",
    defaultText: null,
    means: "Whose key calls. It is never an argument: other people of the machine could read it there.",
    read: readSecretWord,
  }),
  project: setting({
    name: "SIGNALBOX_PROJECT",
    flag: "--project",
    defaultText: null,
    means: "The id of the project that is called about.",
    read: readWord,
  }),
};
