import type { Catalogue } from "./catalogue.ts";

/** What operations on identity providers and domains refuse. */
export const singleSignOnProblems = {
  provider_not_found: {
    status: 404,
    title: "Identity provider not found",
    means: "The organization has no identity provider with this id.",
    remedy: "`single_sign_on/list` shows those it has.",
  },
  too_many_providers: {
    status: 409,
    title: "Too many identity providers",
    means: "An organization has twenty identity providers at most.",
    remedy: "Delete one that is not used any longer.",
  },
  domain_not_found: {
    status: 404,
    title: "Domain not found",
    means: "The organization has named no domain with this id.",
    remedy: "`domains/list` shows those it has.",
  },
  domain_already_named: {
    status: 409,
    title: "Domain already named",
    means: "The organization has named this domain already.",
    remedy: "Go on with `domain_id`.",
  },
  domain_taken: {
    status: 409,
    title: "Domain taken",
    means: "Another organization in this region has shown that the domain is its own.",
    remedy: "Its owner deletes the domain there first; the operator can find out who that is.",
  },
  domain_unproven: {
    status: 409,
    title: "Domain not proven",
    means: "The domain's TXT records do not hold the text that shows it is yours.",
    remedy: "Add the TXT record `record`, wait until the change has spread, and verify again.",
  },
  too_many_domains: {
    status: 409,
    title: "Too many domains",
    means: "An organization names a hundred domains at most.",
    remedy: "Delete one that is not used any longer.",
  },
  identity_not_found: {
    status: 404,
    title: "Identity not found",
    means: "No account of the organization is linked under this id.",
    remedy: "`single_sign_on/identities/list` shows the links there are.",
  },
} as const satisfies Catalogue;

/**
 * Why a person who comes from an identity provider is not signed in: shown on a page, never returned by an operation.
 */
export const ssoPageProblems = {
  sso_not_offered: {
    status: 404,
    title: "No single sign-on here",
    means: "There is no single sign-on for this address, or it is switched off.",
    remedy: "Sign in with your password or passkey, or ask the owner of your organization.",
  },
  sso_flow_gone: {
    status: 400,
    title: "Sign-in not found",
    means: "The sign-in was begun in another browser, was finished already, or has taken more than ten minutes.",
    remedy: "Begin again.",
  },
  sso_declined: {
    status: 403,
    title: "Declined by the identity provider",
    means: "Your identity provider ended the sign-in without saying who you are.",
    remedy: "Begin again, or ask the administrator of the identity provider whether you may use Signalbox.",
  },
  sso_answer_refused: {
    status: 403,
    title: "Answer refused",
    means: "What came from the identity provider does not prove who you are.",
    remedy: "Begin again. If it happens again, the owner of your organization checks the provider's settings.",
  },
  provider_unreachable: {
    status: 502,
    title: "Identity provider unreachable",
    means: "The identity provider does not answer, or not as one should.",
    remedy:
      "Try again in a while. If it lasts, the owner of your organization looks at `single_sign_on/{provider_id}/test`.",
  },
  sso_no_account: {
    status: 403,
    title: "No account",
    means: "You have no account in this organization, and signing in does not make one.",
    remedy: "Ask the owner of your organization for an account or an invite.",
  },
  sso_domain_unverified: {
    status: 403,
    title: "Domain not verified",
    means:
      "There is an account with your address, and the organization has not shown that the address's domain is its own.",
    remedy: "Sign in as before, or ask the owner of your organization to verify the domain.",
  },
  sso_linked_elsewhere: {
    status: 403,
    title: "Linked elsewhere",
    means: "The account with your address is linked to somebody else at an identity provider.",
    remedy: "Ask the owner of your organization: they can remove the old link, or let the domain's provider take over.",
  },
  account_removed: {
    status: 403,
    title: "Account removed",
    means: "Your account was removed by your organization's directory.",
    remedy: "Ask the administrator of your organization's identity provider.",
  },
  sso_not_confirmed: {
    status: 403,
    title: "Not confirmed",
    means: "The identity provider did not show that you have just proved who you are, or it was somebody else.",
    remedy: "Confirm with your password or passkey, or begin again and sign in as the person of this session.",
  },
} as const satisfies Catalogue;
