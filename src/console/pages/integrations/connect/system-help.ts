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
  forms: PasteForm[];
}

const marketing: SystemHelp = {
  purpose: "Leads, campaigns, email programs, statistics and static lists.",
  forms: [
    {
      way: "client_credentials",
      title: "Paste credentials",
      steps: [
        "An administrator creates a role with API permissions, and an API-only user with it (Admin › Users & Roles).",
        "The administrator creates a custom service for that user (Admin › LaunchPoint › New service).",
        "“View details” of the service shows the Client ID and the Client Secret.",
        "The REST API Endpoint is under Admin › Web services, in the part “REST API”. It ends in /rest.",
      ],
      link: {
        text: "The vendor's guide",
        href: "https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/custom-services",
      },
      fields: [
        { name: "client_id", label: "Client ID", help: "From “View details” of the custom service.", kind: "text" },
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
        "Open Account settings › Tokens at the deployment platform.",
        "Create a token. Its scope is the team, or your personal account.",
        "Copy it at once: the platform shows it only once.",
      ],
      link: { text: "Open the tokens page", href: "https://vercel.com/account/settings/tokens" },
      fields: [
        { name: "token", label: "Token", help: "As the platform showed it.", kind: "secret" },
        {
          name: "team_id",
          label: "Team",
          help: "The team's id or slug. It is in Team settings › General. Empty for a personal account.",
          kind: "text",
          isOptional: true,
        },
      ],
    },
  ],
};

const analytics: SystemHelp = {
  purpose: "Reports, key events and properties.",
  grants:
    "The grant covers all properties that the account reaches. Viewers query reports, editors also create key events, administrators also create properties.",
  forms: [
    {
      way: "service_account",
      title: "Paste a service account's key file",
      steps: [
        "In the cloud console, open IAM & Admin › Service accounts and create one.",
        "Open it, then Keys › Add key › Create new key › JSON. A file is downloaded.",
        "In Analytics, open Admin › Property access management and add the service account's e-mail with the role it needs.",
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
        "Create an OAuth client of your own in the cloud console (APIs & Services › Credentials).",
        "Sign in with it once, with offline access, and keep the refresh token.",
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
