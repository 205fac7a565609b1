import { assetTime } from "../gateway/times.ts";
import type { Instance } from "../instance.ts";
import type { Email, EmailVersion } from "../records.ts";
import { appUrl, notFound } from "./asset-request.ts";
import { folderReference } from "./folders.ts";

export type EmailStatus = "approved" | "draft";

/** The version asked for; without a wish the approved one, and the draft where there is no other. */
export function versionOf(email: Email, status: EmailStatus | null): [EmailStatus, EmailVersion] | null {
  const wishes: EmailStatus[] = status === null ? ["approved", "draft"] : [status];
  for (const wish of wishes) {
    const version = email[wish];
    if (version) return [wish, version];
  }
  return null;
}

export function requireEmail({ emails }: Instance, id: number): Email {
  const email = emails.get(id);
  if (!email || email.underTest) throw notFound("Email");
  return email;
}

export function emailRecord(instance: Instance, email: Email, [status, version]: [EmailStatus, EmailVersion]): object {
  return {
    id: email.id,
    name: email.name,
    description: email.description,
    createdAt: assetTime(email.createdAt),
    updatedAt: assetTime(email.updatedAt),
    url: appUrl(`EM${email.id}B2`),
    subject: textValue(version.subject),
    fromName: textValue(version.fromName),
    fromEmail: textValue(version.fromEmail),
    replyEmail: textValue(version.replyEmail),
    folder: folderReference(instance, email),
    operational: email.operational,
    textOnly: email.textOnly,
    publishToMSI: false,
    webView: false,
    status,
    template: email.template,
    workspace: "Default",
    version: 2,
    autoCopyToText: true,
    ccFields: null,
    preHeader: version.preHeader,
  };
}

const textValue = (value: string | null) => (value === null ? null : { type: "Text", value });
