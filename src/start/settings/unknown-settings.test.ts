import { expect, test } from "vitest";
import { unknownSetting } from "./unknown-settings.ts";

const known = [
  "SIGNALBOX_PORT",
  "SIGNALBOX_SMTP_URL",
  "SIGNALBOX_BASE_URL_US",
  "SIGNALBOX_BASE_URL_EU",
  "OTEL_TRACES_EXPORTER",
];

// "An unknown `SIGNALBOX_…` variable is refused with the nearest name."
test.each([
  ["SIGNALBOX_SMTP", "There is no setting SIGNALBOX_SMTP. Did you mean SIGNALBOX_SMTP_URL?"],
  ["SIGNALBOX_PROT", "There is no setting SIGNALBOX_PROT. Did you mean SIGNALBOX_PORT?"],
  [
    "SIGNALBOX_BASE_URL",
    "There is no setting SIGNALBOX_BASE_URL. Did you mean SIGNALBOX_BASE_URL_US or SIGNALBOX_BASE_URL_EU?",
  ],
  ["SIGNALBOX_XYZZY", "There is no setting SIGNALBOX_XYZZY. docs/settings.md lists them all."],
])("%s is refused", (name, sentence) => expect(unknownSetting({ [name]: "x" }, known)).toBe(sentence));

test.each([
  ["a setting", { SIGNALBOX_PORT: "1" }],
  ["a variable of the launcher", { SIGNALBOX_WRAPPER_PID: "1" }],
  ["an empty one, which counts as not set", { SIGNALBOX_PROT: "" }],
  ["those of Kubernetes", { SIGNALBOX_SERVICE_HOST: "10.0.0.1", SIGNALBOX_PORT_4100_TCP_ADDR: "10.0.0.1" }],
  ["those of a second service", { SIGNALBOX_WEB_SERVICE_PORT_HTTP: "80" }],
  ["another program's", { OTEL_X: "1", PATH: "/bin" }],
])("%s is accepted", (_, environment) => expect(unknownSetting(environment, known)).toBeNull());
