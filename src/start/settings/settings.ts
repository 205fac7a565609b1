import { resolve } from "node:path";
import { inviteDaysDefault, inviteDaysMax } from "../../access/invite-expiry.ts";
import { defaultConnectionCaps } from "../../http/edge/cap-connections.ts";
import { leaseSecondsDefault, leaseSecondsMax } from "../../runs/queue/lease-seconds.ts";
import { systems } from "../../systems/index.ts";
import { setting } from "./define-setting.ts";
import { modelSettings } from "./model-settings.ts";
import { nodeSettings } from "./node-settings.ts";
import { privateHostSettings } from "./private-host-settings.ts";
import {
  oneOf,
  readHost,
  readMasterKey,
  readProxies,
  readRateLimits,
  readRegions,
  readSandboxes,
  readSender,
  readSmtpUrl,
  wholeNumber,
} from "./read-setting-values.ts";
import { telemetrySettings } from "./telemetry-settings.ts";

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
    means: `First port P: regions us, eu, au listen on P, P+1, P+2; the sandboxes on ${sandboxPorts}.`,
    read: wholeNumber(1, 65_535 - sandboxOffset - systems.length + 1),
  }),
  host: setting({
    name: "SIGNALBOX_HOST",
    flag: "--host",
    defaultText: "127.0.0.1",
    means:
      "Address to listen on. With any address but 127.0.0.1 and ::1, other machines can connect: put a TLS proxy in front.",
    read: readHost,
  }),
  home: setting({
    name: "SIGNALBOX_HOME",
    flag: "--home",
    defaultText: "./data",
    means: "The data folder: one SQLite file for each region, the master key of the first run, first-run.json.",
    read: (text) => resolve(text),
  }),
  regions: setting({
    name: "SIGNALBOX_REGIONS",
    flag: "--regions",
    defaultText: "us,eu,au",
    means: "The regions that this process serves, separated by commas.",
    read: readRegions,
  }),
  ...nodeSettings,
  firstRun: setting({
    name: "SIGNALBOX_FIRST_RUN",
    flag: "--first-run",
    defaultText: "off",
    means:
      "`on` (set by `npm start`): creates a master key, and in an empty region an organization, a person, a project and a key.",
    read: oneOf("on", "off"),
  }),
  sandboxes: setting({
    name: "SIGNALBOX_SANDBOXES",
    flag: "--sandboxes",
    defaultText: "off",
    means:
      "`own` (set by `npm start`): starts the sandboxes in a child process that ends with the server. `off`: no sandboxes. An address such as `http://127.0.0.1:4111`: the first of sandboxes that already run.",
    read: readSandboxes,
  }),
  masterKey: setting({
    name: "SIGNALBOX_MASTER_KEY",
    defaultText: null,
    means:
      "32 bytes in base64 (`openssl rand -base64 32`). Encrypts secrets at rest. Required unless the first run is on.",
    read: readMasterKey,
  }),
  masterKeyOld: setting({
    name: "SIGNALBOX_MASTER_KEY_OLD",
    defaultText: null,
    means:
      "The previous master key, in the same form, while you replace it: secrets that it encrypted stay readable. Set both keys on every node, run `signalbox rotate-key`, then remove this one.",
    read: readMasterKey,
  }),
  rateLimits: setting({
    name: "SIGNALBOX_RATE_LIMITS",
    defaultText: null,
    means:
      "`off`, or overrides by name: `default=6000/60,account=30000/60,write=1200/60,run=6000/60,invite=200/3600,auth_failure=6000/60,scim=6000/60,sign_in=300/60,sign_in_failure=10/900` (calls/seconds; the seconds are optional). Without `account`, it is five times `default`.",
    read: readRateLimits,
  }),
  ...privateHostSettings,
  archiveFolder: setting({
    name: "SIGNALBOX_ARCHIVE_DIR",
    defaultText: null,
    means:
      "The folder for records that are exported before a retention policy deletes them. Default: `archive` in the data folder. With several nodes, name a folder that all of them share.",
    read: (text) => resolve(text),
  }),
  inviteDays: setting({
    name: "SIGNALBOX_INVITE_DAYS",
    defaultText: String(inviteDaysDefault),
    means: "How many days an invite can be accepted, unless the call sets an expiry.",
    read: wholeNumber(1, inviteDaysMax),
  }),
  leaseSeconds: setting({
    name: "SIGNALBOX_LEASE_SECONDS",
    defaultText: String(leaseSecondsDefault),
    means:
      "A worker's lease on its runs. If a worker does not renew it for this many seconds, another worker takes the runs over. Set the same value on every node.",
    read: wholeNumber(1, leaseSecondsMax),
  }),
  settleSeconds: setting({
    name: "SIGNALBOX_SETTLE_SECONDS",
    defaultText: null,
    means: `How many seconds a system may keep working on a request whose response was lost. Until then, a record that does not exist yet does not prove that the write failed, and nothing is sent again. Defaults: ${settleDefaults}.`,
    read: wholeNumber(1, 3600),
  }),
  ...modelSettings,
  smtpUrl: setting({
    name: "SIGNALBOX_SMTP_URL",
    defaultText: null,
    means:
      "The SMTP server for outgoing mail: `smtp://user:password@host:587` or `smtps://…`. Without it, mails are written to `<region>.unsent-mails.txt` in the data folder, and the log says so.",
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
  logFormat: setting({
    name: "SIGNALBOX_LOG_FORMAT",
    defaultText: "auto",
    means:
      "`json`: one JSON object for each line. `text`: lines for people. `auto`: `text` on a terminal, `json` elsewhere.",
    read: oneOf("auto", "json", "text"),
  }),
  ...telemetrySettings,
  trustedProxies: setting({
    name: "SIGNALBOX_TRUSTED_PROXIES",
    defaultText: "",
    means: "Addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted, separated by commas.",
    read: readProxies,
  }),
  connectionsMax: setting({
    name: "SIGNALBOX_CONNECTIONS_MAX",
    defaultText: String(defaultConnectionCaps.connectionsMax),
    means:
      "How many connections a server keeps open, for all regions together. Further connections get 503. Several processes (SIGNALBOX_PROCESSES) have an equal share each.",
    read: wholeNumber(10, 1_000_000),
  }),
  connectionsPerAddressMax: setting({
    name: "SIGNALBOX_CONNECTIONS_PER_ADDRESS_MAX",
    defaultText: String(defaultConnectionCaps.connectionsPerAddressMax),
    means:
      "How many of them one address may have; an IPv6 /64 network counts as one address. Further connections get 429. Proxies in SIGNALBOX_TRUSTED_PROXIES, 127.0.0.1 and ::1 are not limited.",
    read: wholeNumber(1, 1_000_000),
  }),
};
