import type { Answer } from "../../work.ts";
import { isRecord, textIn } from "../protocol/platform-records.ts";

/** A response with more rows names the first ones. */
const rowsMax = 1_000;

/** Warnings in a successful answer that are easily missed. */
export function warningsOf({ body }: Answer): string[] {
  if (!isRecord(body)) return [];
  return [...failedRows(body), ...unreadableVariables(body), ...unverifiedDomain(body)];
}

/** "Check `failed` even on 201": a batch of variables can be created in part. */
function failedRows({ failed }: Record<string, unknown>): string[] {
  if (!Array.isArray(failed)) return [];
  return failed.slice(0, rowsMax).map((row, index) => {
    const error = isRecord(row) && isRecord(row.error) ? row.error : row;
    const key = textIn(error, "envVarKey") ?? textIn(error, "key") ?? `number ${index}`;
    return `Not made: ${key}, ${textIn(error, "code") ?? ""} ${textIn(error, "message") ?? ""}`.trimEnd();
  });
}

/** An encrypted or hidden value looks like a real one. */
function unreadableVariables({ envs }: Record<string, unknown>): string[] {
  if (!Array.isArray(envs)) return [];
  const variables = envs.slice(0, rowsMax).filter(isRecord);
  const keysOf = (isMeant: (variable: Record<string, unknown>) => boolean) =>
    [...new Set(variables.filter(isMeant).map(({ key }) => String(key)))].join(", ");
  const encrypted = keysOf(({ type, decrypted }) => type === "encrypted" && decrypted !== true);
  const sensitive = keysOf(({ type }) => type === "sensitive");
  return [
    ...(encrypted ? [`Shown encrypted: ${encrypted}. Read one with \`GET /v1/projects/{id}/env/{env_id}\`.`] : []),
    ...(sensitive ? [`Write-only, so without a value: ${sensitive}.`] : []),
  ];
}

/** "`verified: false` is a success: the owner must set the TXT record." */
function unverifiedDomain({ verified, verification, name }: Record<string, unknown>): string[] {
  const [challenge] = verified === false && Array.isArray(verification) ? verification : [];
  if (!isRecord(challenge)) return [];
  return [
    `${name} is not verified yet: set the ${challenge.type} record ${challenge.domain} to ${challenge.value}, then verify it.`,
  ];
}
