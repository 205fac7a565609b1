import type { Resource, System } from "../systems/define.ts";
import { drive, requireRequest } from "../systems/drive.ts";
import { stepProblems } from "../systems/step-problems.ts";
import { type Answer, StepFailed, type StepRequest } from "../systems/work.ts";
import type { Connection } from "../vault/vault.ts";
import { judge, needsResources, type Policy, policyField, type Verdict } from "./policy.ts";

/** Sends a lookup of our own, with the connection's credential and without its policy. */
export type LookUp = (request: StepRequest) => Promise<Answer>;

/** "Enforced where the credential is attached": no step, agent or client can avoid it. */
export async function enforcePolicy(
  request: StepRequest,
  system: System,
  connection: Connection,
  lookUp: LookUp,
): Promise<void> {
  if (policyOf(connection) === null) return;
  const verdict = await verdictOn(request, system, connection, lookUp);
  if (verdict.allowed) return;
  throw new StepFailed({ code: "policy_denied", detail: verdict.reason, cure: "give up", done: "no" }, null);
}

/** Without `lookUp`, names are taken as written: a dry run sends nothing. */
export async function verdictOn(
  sent: StepRequest,
  system: System,
  connection: Connection,
  lookUp: LookUp | null,
): Promise<Verdict> {
  const policy = policyOf(connection);
  if (policy === null) return judge(null, sent, null);
  const request = system.effectiveMethod ? { ...sent, method: system.effectiveMethod(sent) } : sent;
  const said = system.resources(sent, connection.identity);
  if (!needsResources(policy) || !system.resolve) return judge(policy, request, said);
  if (lookUp) return judge(policy, request, await resolveAll(said, system, lookUp));
  const verdict = judge(policy, request, said);
  return said?.length ? { ...verdict, reason: `${verdict.reason} ${asWritten}` } : verdict;
}

const asWritten = "Other names of the resources are looked up when the request is sent, and may change this.";

const read = new WeakMap<object, Policy>();

/** Parsed once for each change of the connection: until then the vault returns the same policy object. */
function policyOf({ policy }: Connection): Policy | null {
  if (policy === null || policy === undefined) return null;
  if (typeof policy !== "object") return policyField.parse(policy);
  let known = read.get(policy);
  if (!known) {
    known = policyField.parse(policy);
    read.set(policy, known);
  }
  return known;
}

async function resolveAll(said: Resource[] | null, system: System, lookUp: LookUp): Promise<Resource[] | null> {
  const resolved: Resource[] = [];
  for (const resource of said ?? []) {
    const names = await resolveOne(resource, system, lookUp);
    if (names === null) return null;
    resolved.push(...names);
  }
  return said && resolved;
}

/** Null if the resource cannot be identified. */
async function resolveOne(resource: Resource, system: System, lookUp: LookUp): Promise<Resource[] | null> {
  const work = system.resolve?.(resource);
  if (!work) return [resource];
  try {
    return await drive(work, (request) => lookUp(requireRequest(request)));
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    // No policy allows or denies a name that the system does not know. If the system cannot tell now, the call fails: a
    // guess might evade a rule that denies.
    if (error.failure.code === "not_found_there") return [resource];
    if (stepProblems[error.failure.code].retry === "later") throw error;
    return null;
  }
}
