import type { Catalogue } from "./catalogue.ts";

/** Organizations, projects, people, invites and keys. */
export const accessProblems = {
  project_required: {
    status: 400,
    title: "Project required",
    means: "The operation concerns a project, and the Authorization header names none.",
    remedy: "Put the project id before the colon: `Authorization: Bearer <project_id>:<api_key>`.",
  },
  project_not_found: {
    status: 404,
    title: "Project not found",
    means: "No project with this id is visible to the caller.",
    remedy: "List the projects you can reach with `projects/list`.",
  },
  organization_not_found: {
    status: 404,
    title: "Organization not found",
    means: "No organization with this id is visible to the caller.",
    remedy: "`organizations/list` returns the organization of your account.",
  },
  hold_not_found: {
    status: 404,
    title: "Legal hold not found",
    means: "The organization has no legal hold with this id.",
    remedy: "List them with `organizations/holds/list`.",
  },
  hold_released: {
    status: 409,
    title: "Legal hold already released",
    means: "The legal hold was released before. Its record says when and by whom.",
    remedy: "Nothing is left to do. To keep records from now on, create another with `organizations/holds/create`.",
  },
  user_not_found: {
    status: 404,
    title: "User not found",
    means: "No person with this id is in the project.",
    remedy: "List the people of the project with `auth/users/list`.",
  },
  invite_not_found: {
    status: 404,
    title: "Invite not found",
    means: "No invite has this code in the project, or it is not for the caller.",
    remedy:
      "List the invites of the project with `auth/invite/list`. After a delete, this code confirms that the invite is gone.",
  },
  key_not_found: {
    status: 404,
    title: "Key not found",
    means: "The account has no key with this id.",
    remedy: "List your keys with `auth/keys/list`.",
  },
  editor_required: {
    status: 403,
    title: "Editor required",
    means: "The operation needs the editor role in the project.",
    remedy: "Ask an admin of the project to change your role.",
  },
  admin_required: {
    status: 403,
    title: "Admin required",
    means: "The operation needs the admin role in the project.",
    remedy: "Ask an admin of the project to do it, or to change your role.",
  },
  owner_required: {
    status: 403,
    title: "Owner required",
    means: "The operation is for the owner of the organization.",
    remedy: "Ask the organization's owner.",
  },
  invite_already_pending: {
    status: 409,
    title: "Invite already pending",
    means: "This address already has an open invite to the project.",
    remedy: "The roles of an invite cannot be edited: delete `invite_code` and create a new one.",
  },
  invite_already_accepted: {
    status: 409,
    title: "Invite already accepted",
    means: "The invite was accepted, so the person is in the project already.",
    remedy: "To withdraw access, remove `user_id` with `auth/users/{user_id}/delete`.",
  },
  invite_expired: {
    status: 410,
    title: "Invite expired",
    means: "The invite was not accepted in time.",
    remedy: "Ask an admin of the project to send it again with `auth/invite/resend`.",
  },
  address_unverified: {
    status: 403,
    title: "Address unverified",
    means: "The invite is for the owner of the address, and nothing shows that it is this account's.",
    remedy: "Set a password with the link that is mailed for a forgotten one, then accept the invite again.",
  },
  already_member: {
    status: 409,
    title: "Already a member",
    means: "The person is in the project already; an invite never changes a role.",
    remedy: "Change the role of `user_id` with `auth/users/{user_id}/update`.",
  },
  user_deactivated: {
    status: 409,
    title: "User deactivated",
    means: "This person of the organization is deactivated and cannot be invited.",
    remedy: "Reactivate the person first, at the identity provider or with `signalbox users reactivate`.",
  },
  key_already_revoked: {
    status: 409,
    title: "Key already revoked",
    means: "The key is already revoked.",
    remedy: "No action is needed.",
  },
  last_admin: {
    status: 409,
    title: "Last admin",
    means: "The change would leave the project without an active admin.",
    remedy: "Make another person admin first.",
  },
  last_owner: {
    status: 409,
    title: "Last owner",
    means: "The person is the organization's last active owner.",
    remedy: "Make another person an owner first.",
  },
  managed_by_directory: {
    status: 409,
    title: "Managed by directory",
    means: "The person's membership in the project comes from a group of the organization's identity provider.",
    remedy: "Change the person's groups at the identity provider, or the role that the group grants.",
  },
  directory_not_found: {
    status: 404,
    title: "Directory not found",
    means: "The organization has no directory with this id.",
    remedy: "List the organization's directories with `directory/list`.",
  },
  directory_token_not_found: {
    status: 404,
    title: "Directory token not found",
    means: "The directory has no token with this id.",
    remedy: "`directory/{directory_id}/get` lists the tokens of a directory.",
  },
  group_not_found: {
    status: 404,
    title: "Group not found",
    means: "The directory has no group with this id.",
    remedy: "List the groups of a directory with `directory/groups/list`.",
  },
  email_taken: {
    status: 409,
    title: "E-mail taken",
    means: "The organization already has an account with this address.",
    remedy: "Use the existing account.",
  },
} as const satisfies Catalogue;
