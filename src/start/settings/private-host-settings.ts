import { setting } from "./define-setting.ts";
import { readModelHosts, readPrivateHosts } from "./read-setting-values.ts";

/** Which addresses in private networks may be called: one list for each use. */
export const privateHostSettings = {
  privateHosts: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS",
    defaultText: "",
    means:
      "Origins in private address ranges that steps and outgoing webhooks may reach, separated by commas, such as `http://10.0.0.5:8080`. To allow an origin to some organizations only, append `=` and their ids, separated by `+`: `http://10.0.0.5:8080=org_us_…+org_us_…`. Accounts at the sandboxes always reach the sandboxes. The four settings below allow origins for one use each.",
    read: readPrivateHosts,
  }),
  privateHostsSteps: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_STEPS",
    defaultText: "",
    means:
      "Origins in private address ranges that steps may reach, in the same form, in addition to SIGNALBOX_PRIVATE_HOSTS.",
    read: readPrivateHosts,
  }),
  privateHostsWebhooks: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS",
    defaultText: "",
    means:
      "Origins in private address ranges that outgoing webhooks may reach, in the same form, in addition to SIGNALBOX_PRIVATE_HOSTS.",
    read: readPrivateHosts,
  }),
  privateHostsModels: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_MODELS",
    defaultText: "",
    means:
      "Origins in private address ranges of model servers, without organizations. Signalbox calls no model servers but those of SIGNALBOX_OPENAI_BASE_URL and SIGNALBOX_ANTHROPIC_BASE_URL.",
    read: readModelHosts,
  }),
  privateHostsIdentity: setting({
    name: "SIGNALBOX_PRIVATE_HOSTS_IDENTITY",
    defaultText: null,
    means:
      "Origins in private address ranges of identity providers, in the same form, or `none`. If it is not set, SIGNALBOX_PRIVATE_HOSTS applies to them too.",
    read: readPrivateHosts,
  }),
};
