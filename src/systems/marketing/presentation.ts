import type { Presentation } from "../presentation.ts";

export const marketingPresentation: Presentation = {
  title: "Marketing automation",
  purpose: "Leads, campaigns, email programs, statistics and static lists.",
  words: "marketing marketo",
  dailyQuota:
    "What your subscription allows; its owner or your account manager at the vendor knows the number, commonly 50,000. All programs that use the instance share it. Empty: 10,000 are assumed, and only the vendor refuses more.",
  forms: [
    {
      way: "client_credentials",
      title: "Paste credentials",
      steps: [
        "An administrator creates a role with permissions of the group “Access API”, the only ones that count here, and an API-only user with it (Admin › Users & Roles).",
        "The administrator creates a service of the kind “Custom” for that user (Admin › LaunchPoint › New › New Service).",
        "“View Details” of the service shows the Client ID and the Client Secret.",
        "The REST API Endpoint is under Admin › Web Services, in the part “REST API”. It ends in /rest.",
      ],
      link: {
        text: "The vendor's guide",
        href: "https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/custom-services",
      },
      fields: [
        { name: "client_id", label: "Client ID", help: "From “View Details” of the custom service.", kind: "text" },
        { name: "client_secret", label: "Client Secret", help: "Beside the Client ID.", kind: "secret" },
        {
          name: "rest_endpoint",
          label: "REST API Endpoint",
          help: "For example https://123-ABC-456.mktorest.com/rest",
          kind: "text",
          isLiveOnly: true,
        },
      ],
    },
  ],
  policy: {
    kinds: [
      { kind: "list", title: "Static list" },
      { kind: "campaign", title: "Campaign" },
    ],
    readingPosts: [],
  },
  apiCall: {
    step: "marketing_api_call",
    path: "endpoint",
    methods: ["GET", "POST", "DELETE"],
    first: { method: "GET", path: "/rest/v1/leads.json" },
  },
  levels: null,
  limitSettings: {
    lead: "What your subscription allows, where it differs from the standard. All programs that use the instance share it. Without a number of calls a day, 10,000 are assumed, and only the vendor refuses more.",
    fields: [
      { name: "daily_quota", label: "Calls a day", standard: 10_000 },
      { name: "burst_calls", label: "Calls in 20 seconds", standard: 100 },
      { name: "concurrent_calls", label: "Calls at once", standard: 10 },
    ],
  },
  waits: {},
  events: null,
};
