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
    means: "An organization can have at most twenty identity providers.",
    remedy: "Delete one that is no longer used.",
  },
  domain_not_found: {
    status: 404,
    title: "Domain not found",
    means: "The organization has no domain with this id.",
    remedy: "`domains/list` shows those it has.",
  },
  domain_already_named: {
    status: 409,
    title: "Domain already named",
    means: "The organization already has this domain.",
    remedy: "Use `domain_id`.",
  },
  domain_taken: {
    status: 409,
    title: "Domain taken",
    means: "Another organization in this region has verified the domain.",
    remedy:
      "The owner of that organization must delete the domain first. The operator can find out which organization it is.",
  },
  domain_unproven: {
    status: 409,
    title: "Domain not proven",
    means: "The domain's TXT records do not contain the expected value.",
    remedy: "Add the TXT record `record`, wait until DNS has propagated, and verify again.",
  },
  too_many_domains: {
    status: 409,
    title: "Too many domains",
    means: "An organization can have at most a hundred domains.",
    remedy: "Delete one that is no longer used.",
  },
  identity_not_found: {
    status: 404,
    title: "Identity not found",
    means: "The organization has no linked account with this id.",
    remedy: "`single_sign_on/identities/list` lists the links.",
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
    means: "The sign-in was started in another browser, is already finished, or took more than ten minutes.",
    remedy: "Start again.",
  },
  sso_declined: {
    status: 403,
    title: "Declined by the identity provider",
    means: "Your identity provider ended the sign-in without saying who you are.",
    remedy: "Start again, or ask the administrator of the identity provider whether you may use Signalbox.",
  },
  sso_answer_refused: {
    status: 403,
    title: "Answer refused",
    means: "The identity provider's response does not prove who you are.",
    remedy: "Start again. If it happens again, ask the owner of your organization to check the provider's settings.",
  },
  provider_unreachable: {
    status: 502,
    title: "Identity provider unreachable",
    means: "The identity provider does not respond, or its response is invalid.",
    remedy:
      "Try again later. If it persists, ask the owner of your organization to call `single_sign_on/{provider_id}/test`.",
  },
  sso_no_account: {
    status: 403,
    title: "No account",
    means: "You have no account in this organization, and signing in does not create one.",
    remedy: "Ask the owner of your organization for an account or an invite.",
  },
  sso_domain_unverified: {
    status: 403,
    title: "Domain not verified",
    means: "An account with your address exists, but the organization has not verified the domain of the address.",
    remedy: "Sign in as before, or ask the owner of your organization to verify the domain.",
  },
  sso_linked_elsewhere: {
    status: 403,
    title: "Linked elsewhere",
    means: "The account with your address is linked to another person at an identity provider.",
    remedy: "Ask the owner of your organization to remove the old link, or to choose this provider for the domain.",
  },
  account_removed: {
    status: 403,
    title: "Account removed",
    means: "Your organization's directory removed your account.",
    remedy: "Ask the administrator of your organization's identity provider.",
  },
  sso_not_confirmed: {
    status: 403,
    title: "Not confirmed",
    means: "The identity provider did not confirm a fresh sign-in, or it confirmed another person.",
    remedy: "Confirm with your password or passkey, or start again and sign in as the person of this session.",
  },
} as const satisfies Catalogue;
