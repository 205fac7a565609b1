import { setting } from "./define-setting.ts";
import { readBaseUrl, readSecretWord, readWord } from "./read-setting-values.ts";

/** Settings of commands that call a running server; the server itself reads none of them. They win over the profile of `signalbox login`. */
export const callerSettings = {
  apiKey: setting({
    name: "SIGNALBOX_API_KEY",
    defaultText: null,
    means:
      "The API key of the calls. It is never a command-line argument, because other users of the machine could read it there.",
    read: readSecretWord,
  }),
  baseUrl: setting({
    name: "SIGNALBOX_BASE_URL",
    flag: "--base-url",
    defaultText: null,
    means: "The base address of the region to call, such as `https://us.signalbox.example.com`.",
    read: readBaseUrl,
  }),
  profile: setting({
    name: "SIGNALBOX_PROFILE",
    flag: "--profile",
    defaultText: "default",
    means: "Which profile of `signalbox login` to use.",
    read: readWord,
  }),
  project: setting({
    name: "SIGNALBOX_PROJECT",
    flag: "--project",
    defaultText: null,
    means: "The id of the project to use.",
    read: readWord,
  }),
};
