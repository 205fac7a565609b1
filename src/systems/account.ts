/** What we know about a connected account. */

export type AccessLevel = "viewer" | "editor" | "administrator";

/** Who an account is, as shown to people and used in requests. Members that a system does not know are omitted. */
export interface Identity {
  /** One line that distinguishes this account from others: an e-mail, a team, an instance. */
  label: string;
  email?: string;
  user_id?: string;
  username?: string;
  team_id?: string;
  team_slug?: string;
  team_name?: string;
  /** The host of a marketing instance. */
  instance?: string;
  installation_id?: string;
  /** When the system ends the sign-in by itself, if it has said so. */
  sign_in_ends_at?: string;
  /** Projects of a deployment platform that the account is limited to, the first fifty; omitted if it reaches all. */
  projects?: { project_id: string; name: string }[];
  projects_total?: number;
  /** Of an installation: whether it reaches all projects or chosen ones; it may lack the right to read that. */
  project_selection?: "all" | "selected" | "not_known";
  /** If that is not known: the projects that it sees, the first fifty. */
  projects_in_reach?: { project_id: string; name: string }[];
  /** Teams that a person's token reaches, if it acts for none of them. */
  teams?: { team_id: string; team_slug: string; name: string }[];
  /** Analytics properties in reach, the first fifty. */
  properties?: { property_id: string; display_name: string; account_id: string }[];
  properties_total?: number;
}

/** Settings of one connection that affect its system's limits. */
export interface ConnectionSettings {
  daily_quota?: number;
  burst_calls?: number;
  concurrent_calls?: number;
}

/** What the limits of a connected account depend on. */
export interface LimitedAccount {
  settings: ConnectionSettings;
  identity: Identity;
  /** How it was signed in: accounts connected through a pop-up use our own OAuth client. */
  signInMethod: string;
}
