import type { PasteForm } from "../../../../systems/presentation.ts";
import { presentationOf } from "../../../state/systems.ts";
import type { SystemRecord } from "../accounts/describe-account.ts";

/** What a person can choose, made of what `systems/list` offers. */

export interface InstanceChoice {
  value: "live" | "sandbox" | "custom";
  label: string;
  description: string;
  /** Why it cannot be chosen, or null. */
  whyNot: string | null;
  /** What the operator of this server has not set up for it, in their words; null if nothing is missing. */
  missing: string | null;
}

export function instancesOf({ instances, vendor }: SystemRecord, isAdmin: boolean): InstanceChoice[] {
  const offered = instances.map(({ instance, available, reason }) => ({
    value: instance,
    label: instance === "live" ? "Live" : "Sandbox",
    description:
      instance === "live"
        ? `A real account at ${vendor}. Steps change real things.`
        : "A stand-in that runs beside this server. Nothing in it is real.",
    whyNot: available ? null : withoutSettings(reason ?? "Not available."),
    missing: available && reason !== null ? plainly(reason) : null,
  }));
  const custom = {
    value: "custom" as const,
    label: "Another address",
    description: "A server of your own with the same interface.",
    whyNot: isAdmin ? null : "Only an admin of the project can allow another address.",
    missing: null,
  };
  return [...offered, custom];
}

/** Names of settings stand in backticks, for Markdown. */
const plainly = (reason: string): string => reason.replaceAll("`", "");

/** "No sandbox runs here (`SETTING`)." without what only an operator knows. */
const withoutSettings = (reason: string): string => plainly(reason.replaceAll(/ \(`[^()]*\)/g, ""));

export interface WayChoice {
  value: string;
  label: string;
  /** What to paste; left out where nothing is pasted. */
  form?: PasteForm;
}

export function waysOf({ system, title, instances }: SystemRecord, instance: InstanceChoice["value"]): WayChoice[] {
  const source = instances.find((each) => each.instance === (instance === "custom" ? "live" : instance));
  const ways = source?.ways ?? [];
  const hasPage = ways.includes("oauth") && instance !== "custom";
  const forms = presentationOf(system)?.forms.filter(({ way }) => ways.includes(way)) ?? [];
  return [
    ...(hasPage ? [{ value: "oauth", label: `Sign in at ${title} in a pop-up` }] : []),
    // A sandbox without a sign-in page connects its demonstration account when nothing is pasted.
    ...(instance === "sandbox" && !ways.includes("oauth")
      ? [{ value: "demonstration", label: "Use the sandbox's demonstration account" }]
      : []),
    ...forms.map((form) => ({ value: form.way, label: form.title, form })),
  ];
}
