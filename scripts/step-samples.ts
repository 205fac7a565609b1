/** What the first example of each step returned from the sandbox, shortened. `npm run docs` checks it against the step's own schema. */
export const stepSamples: Record<string, unknown> = {
  marketing_api_call: {
    status: 200,
    body: {
      requestId: "1daa5#1a1e9155c0c",
      success: true,
      result: [
        {
          id: 1020,
          firstName: "Hana",
          lastName: "Rossi",
          email: "hana.rossi.20@mail.example.com",
          updatedAt: "2024-11-20T01:23:35Z",
          createdAt: "2024-11-20T01:23:35Z",
        },
      ],
    },
  },
  create_deployment: {
    deployment_id: "dpl_b8xMkHUjpDlRporJscponSffjJ9F",
    url: "https://web-tq0nixzlv-acme.vercel.app",
    state: "QUEUED",
    environment: "preview",
    created_at: "2026-11-17T10:37:33.982Z",
  },
  list_deployments: {
    deployments: [
      {
        deployment_id: "dpl_hs5H1vc3ocmXv7y0RiYkmD8mJqTU",
        url: "https://campaign-9-jiaq8uxl0-acme.vercel.app",
        state: "READY",
        environment: "production",
        branch: "main",
        creator: "ben-okafor",
        created_at: "2026-11-16T00:27:33.579Z",
      },
    ],
  },
  cancel_deployment: { deployment_id: "dpl_IFS96cZxtSWCYHUyLIISjNZETWsJ", state: "CANCELED" },
  deployment_api_call: {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "x-ratelimit-remaining": "498" },
    body: { id: "prj_Qwq2rQfOCHfMZexGIP44T5C09wfN", name: "web", framework: "nextjs", nodeVersion: "22.x" },
  },
  run_reports: {
    rows: [
      { country: "France", sessions: 931, activeUsers: 581 },
      { country: "United States", sessions: 424, activeUsers: 272 },
    ],
    row_count: 2,
    next: null,
    quota: {
      tokensPerDay: { consumed: 1, remaining: 199_999 },
      tokensPerHour: { consumed: 1, remaining: 39_999 },
    },
  },
  create_key_events: { key_event_id: "3000", event_name: "sign_up" },
  create_properties: {
    property_id: "3002",
    display_name: "Paris shop",
    next_step: "Set up a data stream: nothing is collected before. …",
  },
  analytics_api_call: {
    status: 200,
    body: {
      properties: [
        { name: "properties/1000", displayName: "Shop", timeZone: "Europe/Paris", currencyCode: "EUR" },
        { name: "properties/1001", displayName: "Journal", timeZone: "America/New_York", currencyCode: "USD" },
      ],
    },
  },
};
