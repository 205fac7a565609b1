import type { SystemId } from "../../../state/systems.ts";

/** What the page says about each system, and where a person finds its credentials at the vendor. */

export interface CredentialField {
  /** The member of `credentials`. */
  name: string;
  label: string;
  help: string;
  kind: "text" | "secret" | "file";
  isOptional?: boolean;
  /** Sandboxes know it themselves. */
  isLiveOnly?: boolean;
}

export interface PasteForm {
  /** The word of `systems/list`. */
  way: string;
  title: string;
  /** Steps at the vendor, in order. */
  steps: string[];
  link?: { text: string; href: string };
  fields: CredentialField[];
}

export interface SystemHelp {
  purpose: string;
  /** What the person grants on the system's own page. */
  grants?: string;
  /** About the number of calls a day, where each subscription has its own. Left out where the system reports its limits. */
  dailyQuota?: string;
  forms: PasteForm[];
}

const marketing: SystemHelp = {
  purpose: "Leads, campaigns, email programs, statistics and static lists.",
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
};

const deployment: SystemHelp = {
  purpose: "Deployments, projects, domains, environment variables and teams.",
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
};

const enableApis =
  "In a project of the cloud console, enable the Google Analytics Data API and the Google Analytics Admin API (APIs & Services › Library).";

const analytics: SystemHelp = {
  purpose: "Reports, key events and properties.",
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
};

export const systemHelp: Record<string, SystemHelp> = { marketing, deployment, analytics } satisfies Record<
  SystemId,
  SystemHelp
>;
