import type { Presentation } from "../presentation.ts";

const enableApis =
  "In a project of the cloud console, enable the Google Analytics Data API and the Google Analytics Admin API (APIs & Services › Library).";

export const analyticsPresentation: Presentation = {
  title: "Web analytics",
  purpose: "Reports, key events and properties.",
  words: "analytics google",
  grants:
    "The grant covers all properties that the account reaches. Viewers query reports, editors also create key events, administrators also create properties.",
  forms: [
    {
      way: "service_account",
      title: "Paste a service account's key file",
      steps: [
        enableApis,
        "Open IAM & Admin › Service Accounts and create one. It needs no role in the cloud project.",
        "Open it, then Keys › Add key › Create new key › JSON. A file is downloaded.",
        "In Analytics, open Admin › Property access management and add the service account's e-mail with the role it needs. For creating properties, add it under Account access management instead.",
      ],
      link: { text: "Open service accounts", href: "https://console.cloud.google.com/iam-admin/serviceaccounts" },
      fields: [
        {
          name: "service_account_key",
          label: "Key file (JSON)",
          help: "Paste the whole content of the downloaded file.",
          kind: "file",
        },
      ],
    },
    {
      way: "refresh_token",
      title: "Paste credentials of a client of your own",
      steps: [
        enableApis,
        "Create an OAuth client of the type “Web application” (APIs & Services › Credentials). While its consent screen is in “Testing”, each refresh token ends after 7 days.",
        "Sign in with it once, with offline access and the scope analytics.readonly, or analytics.edit to create key events and properties. Keep the refresh token.",
      ],
      link: { text: "Open credentials", href: "https://console.cloud.google.com/apis/credentials" },
      fields: [
        { name: "refresh_token", label: "Refresh token", help: "It often begins with 1//.", kind: "secret" },
        {
          name: "client_id",
          label: "Client ID",
          help: "Of the client that the refresh token belongs to.",
          kind: "text",
          isLiveOnly: true,
        },
        {
          name: "client_secret",
          label: "Client secret",
          help: "Of the same client.",
          kind: "secret",
          isLiveOnly: true,
        },
      ],
    },
    {
      way: "token",
      title: "Paste a token for the next hour",
      steps: ["For a quick try. It ends within the hour, and the account then needs reconnecting."],
      fields: [{ name: "access_token", label: "Access token", help: "It often begins with ya29.", kind: "secret" }],
    },
  ],
  policy: {
    kinds: [
      { kind: "property", title: "Property" },
      { kind: "account", title: "Account" },
    ],
    // Reports are read with POST.
    readingPosts: ["/v1beta/properties/*:run*", "/v1beta/properties/*:batchRun*"],
  },
  apiCall: {
    step: "analytics_api_call",
    path: "endpoint",
    methods: ["GET", "POST", "DELETE", "PATCH", "PUT"],
    first: { method: "POST", path: "v1beta/properties/1000:runReport" },
  },
  levels: {
    viewer: "Can query reports.",
    editor: "Can query reports, create key events and change property settings.",
    administrator: "Can query reports, create key events, change property settings and create properties.",
  },
  limitSettings: null,
  waits: {},
  events: null,
  page: "reports",
};
