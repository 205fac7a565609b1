import type { SignatureScheme } from "../events.ts";
import type { Presentation } from "../presentation.ts";

/** Events of a deployment, in our words; rules can also use the platform's own names. */
export const ourEvents = ["deployment.started", "deployment.completed", "deployment.failed"] as const;

/** How the platform signs its events. */
export const signature: SignatureScheme = { header: "x-vercel-signature", hash: "sha1" };

export const deploymentPresentation: Presentation = {
  title: "Deployment platform",
  purpose: "Deployments, projects, domains, environment variables and teams.",
  words: "deployment vercel",
  grants: "You grant: manage deployments, access project information and read deployment logs.",
  forms: [
    {
      way: "token",
      title: "Paste credentials",
      steps: [
        "Open Account Settings › Tokens at the deployment platform.",
        "Create a token. Its scope is your full account, one team or one project; when it expires, the account here needs reconnecting.",
        "Copy it at once: the platform shows it only once.",
      ],
      link: { text: "Open the tokens page", href: "https://vercel.com/account/tokens" },
      fields: [
        { name: "token", label: "Token", help: "As the platform showed it.", kind: "secret" },
        {
          name: "team_id",
          label: "Team",
          help: "The Team ID from the team's Settings › General, or its slug. Leave it empty only for a personal account.",
          kind: "text",
          isOptional: true,
        },
        {
          name: "project_id",
          label: "Project",
          help: "Only for a token that is limited to projects: the project's id or name; several with commas.",
          kind: "text",
          isOptional: true,
        },
      ],
    },
  ],
  policy: { kinds: [{ kind: "project", title: "Project" }], readingPosts: [] },
  apiCall: {
    step: "deployment_api_call",
    path: "path",
    methods: ["GET", "POST", "PUT", "DELETE", "PATCH"],
    first: { method: "GET", path: "/v6/deployments" },
  },
  levels: null,
  limitSettings: null,
  waits: {
    wait_for_deployment: {
      title: "Wait for a deployment",
      summary: "Waits until a deployment is ready, or has failed.",
      keywords: "deployment ready build finish vercel",
      kind: "deployment",
      waitsFor: "a deployment",
      schema: {
        type: "object",
        required: ["deployment_id"],
        properties: {
          deployment_id: { type: "string", title: "Deployment", description: "Id of the deployment to wait for." },
          timeout_seconds: {
            type: "number",
            title: "Seconds at most",
            description: "After so many seconds the step fails.",
            minimum: 1,
          },
        },
      },
    },
  },
  events: {
    webhook: {
      title: "Events of the deployment platform",
      lead: "Makes the webhook at the platform for you, with its own secret. It sends the events of your rules, or of all deployments.",
    },
    names: ourEvents,
    first: "deployment.failed",
    payload: {
      deployment: { id: "dpl_test", name: "web", meta: {} },
      project: { id: "prj_test" },
      team: { id: "team_test" },
    },
    expression: "{{event.payload.deployment.id}}",
    signature,
  },
  page: "deployments",
  exampleTool: {
    title: "Latest deployments",
    does: "The example lists the last five deployments. It changes nothing.",
    step: "list_deployments",
    input: { limit: 5 },
    output: "{{steps.latest.output.deployments}}",
  },
};
