import {
  type Account,
  type Action,
  type Invite,
  type Key,
  type Organization,
  type Project,
  type Role,
  refuseIf,
  roleOf,
  sameAddress,
  weaker,
} from "./access-records.ts";

const inviteDays = 7;

/** The access rules once more, in memory and without a store, written from the requirement and the status table. */
export class AccessModel {
  day = 0;
  organizations: Organization[] = [];
  accounts: Account[] = [];
  keys: Key[] = [];
  projects: Project[] = [];
  /** Existing invites; a deleted one leaves only its code, which a caller may still hold. */
  invites = new Set<Invite>();
  inviteHistory: Invite[] = [];

  // Callers.

  authenticate(key: Key): Account {
    refuseIf(key.isRevoked, "key_revoked");
    refuseIf(!key.owner.isActive || key.isDisabled, "owner_deactivated");
    refuseIf(key.expiresDay !== null && key.expiresDay <= this.day, "key_expired");
    return key.owner;
  }

  requireFullKey(key: Key): Account {
    const account = this.authenticate(key);
    refuseIf(key.projects !== null || key.maxRole !== null, "key_restricted");
    return account;
  }

  /** The owner's current role in the project, narrowed by the key. An organization's owner acts as admin everywhere. */
  roleIn(key: Key, project: Project): Role | null {
    const { owner } = key;
    if (project.organization !== owner.organization || (key.projects && !key.projects.includes(project))) return null;
    const actions = project.members.get(owner);
    const role = owner.isOwner ? "admin" : actions ? roleOf(actions) : null;
    return role && key.maxRole ? weaker(role, key.maxRole) : role;
  }

  requireMember(key: Key, project: Project): Account {
    const account = this.authenticate(key);
    refuseIf(this.roleIn(key, project) === null, "project_not_found");
    return account;
  }

  requireAdmin(key: Key, project: Project): Account {
    const account = this.requireMember(key, project);
    refuseIf(this.roleIn(key, project) !== "admin", "admin_required");
    return account;
  }

  // Organizations and accounts.

  createAccount(organization: Organization, email: string, isOwner = false): { account: Account; key: Key } {
    refuseIf(this.accountOf(organization, email) !== undefined, "email_taken");
    const account: Account = { id: "", email, organization, isOwner, isActive: true };
    this.accounts.push(account);
    this.#acceptAll(account);
    return { account, key: this.addKey(account) };
  }

  accountOf(organization: Organization, email: string): Account | undefined {
    return this.accounts.find((each) => each.organization === organization && sameAddress(each.email, email));
  }

  createOrganization(email: string): { account: Account; key: Key } {
    const organization: Organization = { id: "", projectCreation: "members", keysOnReactivation: "stay_off" };
    this.organizations.push(organization);
    return this.createAccount(organization, email, true);
  }

  updateOrganization(key: Key, change: Partial<Pick<Organization, "projectCreation" | "keysOnReactivation">>): void {
    const account = this.requireFullKey(key);
    refuseIf(!account.isOwner, "owner_required");
    Object.assign(account.organization, change);
  }

  deactivate(account: Account): void {
    if (!account.isActive) return;
    account.isActive = false;
    for (const key of this.keys) if (key.owner === account && !key.isRevoked) key.isDisabled = true;
    this.#withdraw((invite) => invite.invitedBy === account);
  }

  /**
   * Old keys stay disabled unless the organization wants them back; a new one is created. Null if there was nothing to
   * do.
   */
  reactivate(account: Account): Key | null {
    if (account.isActive) return null;
    account.isActive = true;
    if (account.organization.keysOnReactivation === "restore") {
      for (const key of this.keys) if (key.owner === account) key.isDisabled = false;
    }
    return this.addKey(account);
  }

  // Projects and the people in them.

  createProject(key: Key, organization: Organization, name: string): Project {
    const account = this.requireFullKey(key);
    refuseIf(organization !== account.organization, "organization_not_found");
    refuseIf(organization.projectCreation === "owners" && !account.isOwner, "owner_required");
    const project: Project = { id: "", name, organization, members: new Map([[account, ["admin"]]]) };
    this.projects.push(project);
    return project;
  }

  updateRole(key: Key, project: Project, account: Account, actions: Action[]): void {
    this.requireAdmin(key, project);
    refuseIf(!project.members.has(account), "user_not_found");
    refuseIf(roleOf(actions) !== "admin" && this.#isLastAdmin(project, account), "last_admin");
    project.members.set(account, actions);
  }

  removeUser(key: Key, project: Project, account: Account): void {
    this.requireAdmin(key, project);
    refuseIf(!project.members.has(account), "user_not_found");
    refuseIf(this.#isLastAdmin(project, account), "last_admin");
    project.members.delete(account);
    this.#withdraw((invite) => invite.invitedBy === account && invite.project === project);
  }

  #isLastAdmin(project: Project, account: Account): boolean {
    const isActiveAdmin = ([who, actions]: [Account, Action[]]) => who.isActive && roleOf(actions) === "admin";
    const admins = [...project.members].filter(isActiveAdmin).map(([who]) => who);
    return admins.length === 1 && admins[0] === account;
  }

  // Invites.

  isExpired = (invite: Invite): boolean => invite.expiresDay <= this.day;

  createInvite(key: Key, project: Project, email: string, actions: Action[]): Invite {
    const invitedBy = this.requireAdmin(key, project);
    const account = this.accountOf(project.organization, email);
    refuseIf(account !== undefined && !account.isActive, "user_deactivated");
    refuseIf(account !== undefined && project.members.has(account), "already_member");
    const open = this.#openFor(email).find((each) => each.project === project);
    refuseIf(open !== undefined && account === undefined && !this.isExpired(open), "invite_already_pending");
    if (open) this.invites.delete(open);
    const expiresDay = this.day + inviteDays;
    const acceptedBy = account ?? null;
    const invite: Invite = { code: "", project, email, actions, invitedBy, expiresDay, sentCount: 1, acceptedBy };
    this.invites.add(invite);
    this.inviteHistory.push(invite);
    if (account) project.members.set(account, actions);
    return invite;
  }

  deleteInvite(key: Key, project: Project, invite: Invite): void {
    this.#requireOpen(key, project, invite);
    this.invites.delete(invite);
  }

  resendInvite(key: Key, project: Project, invite: Invite): void {
    this.#requireOpen(key, project, invite);
    invite.sentCount++;
    invite.expiresDay = this.day + inviteDays;
  }

  #requireOpen(key: Key, project: Project, invite: Invite): void {
    this.requireAdmin(key, project);
    refuseIf(!this.invites.has(invite) || invite.project !== project, "invite_not_found");
    refuseIf(invite.acceptedBy !== null, "invite_already_accepted");
  }

  /** "An account belongs to one organization": the invited person gets another account in the inviting organization. */
  acceptInvite(key: Key, invite: Invite): { account: Account; key: Key } {
    const guest = this.requireFullKey(key);
    refuseIf(!this.invites.has(invite) || !sameAddress(invite.email, guest.email), "invite_not_found");
    refuseIf(invite.acceptedBy !== null, "invite_already_accepted");
    refuseIf(this.isExpired(invite), "invite_expired");
    return this.createAccount(invite.project.organization, guest.email);
  }

  #openFor = (email: string): Invite[] =>
    [...this.invites].filter((each) => each.acceptedBy === null && sameAddress(each.email, email));

  /** "When the invited user is already a member of the organization, the invite is accepted automatically." */
  #acceptAll(account: Account): void {
    for (const invite of this.#openFor(account.email)) {
      if (invite.project.organization !== account.organization) continue;
      if (this.isExpired(invite)) this.invites.delete(invite);
      else {
        invite.acceptedBy = account;
        invite.project.members.set(account, invite.actions);
      }
    }
  }

  #withdraw(isMeant: (invite: Invite) => boolean): void {
    for (const invite of this.invites) if (invite.acceptedBy === null && isMeant(invite)) this.invites.delete(invite);
  }

  // Keys.

  addKey(owner: Account, limits: Partial<Pick<Key, "projects" | "maxRole" | "expiresDay">> = {}): Key {
    const state = { isRevoked: false, isDisabled: false, isReplaced: false, createdDay: this.day };
    const key: Key = {
      id: "",
      secret: "",
      owner,
      ...state,
      expiresDay: null,
      projects: null,
      maxRole: null,
      ...limits,
    };
    this.keys.push(key);
    return key;
  }

  createKey(key: Key, limits: Pick<Key, "projects" | "maxRole" | "expiresDay">): Key {
    return this.addKey(this.requireFullKey(key), limits);
  }

  revokeKey(key: Key, target: Key): void {
    this.requireGoverned(key, target);
    refuseIf(target.isRevoked, "key_already_revoked");
    target.isRevoked = true;
  }

  /** Without an overlap: the old key ends now, the new one has the same limits and the same length of life. */
  rerollKey(key: Key, target: Key): Key {
    const account = this.requireGoverned(key, target);
    refuseIf(target.owner !== account, "key_not_found");
    refuseIf(target.isRevoked, "key_already_revoked");
    const { projects, maxRole, expiresDay, createdDay } = target;
    target.expiresDay = Math.min(this.day, expiresDay ?? this.day);
    target.isReplaced = true;
    return this.addKey(account, {
      projects,
      maxRole,
      expiresDay: expiresDay === null ? null : this.day + expiresDay - createdDay,
    });
  }

  enableKey(key: Key, target: Key): void {
    this.requireGoverned(key, target);
    refuseIf(target.isRevoked, "key_already_revoked");
    refuseIf(!target.owner.isActive, "user_deactivated");
    target.isDisabled = false;
  }

  /** One's own key, or any of the organization's for its owner. */
  requireGoverned(key: Key, target: Key): Account {
    const account = this.requireFullKey(key);
    const isGoverned = account.isOwner && target.owner.organization === account.organization;
    refuseIf(target.owner !== account && !isGoverned, "key_not_found");
    return account;
  }
}
