import { type ApiRequest, isObject, pathId, readId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { leadNotFound, missingParameter, Refusal, reasonOf } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import type { Program } from "../records.ts";
import { join, requireProgram, requireStatus } from "./members.ts";

/** `POST /rest/v1/programs/{id}/members/status.json`: "If member is not part of the program, member is added." */
export function syncStatus(context: Context, request: ApiRequest): Reply {
  const program = requireProgram(context, pathId(request));
  const { statusName, input } = request.json();
  const status = requireStatus(program, statusName, "statusName");
  return { result: rowsOf(context, input, "leadId", "updated", (leadId) => join(context, program, leadId, status)) };
}

/** `POST /rest/v1/programs/{id}/members/delete.json` */
export function deleteMembers(context: Context, request: ApiRequest): Reply {
  const program = requireProgram(context, pathId(request));
  const { input } = request.json();
  return { result: rowsOf(context, input, "leadId", "deleted", (leadId) => leave(context, program, leadId)) };
}

/** `POST /rest/v1/leads/programs/{id}/status.json`, superseded: "Only existing members may have their status changed." */
export function changeStatus(context: Context, request: ApiRequest): Reply {
  const program = requireProgram(context, pathId(request));
  const { status: wanted, input } = request.json();
  const status = requireStatus(program, wanted, "status");
  const rows = rowsOf(context, input, "id", status, (leadId) => {
    requireMember(context, program, leadId);
    join(context, program, leadId, status);
  });
  return { result: rows.map(({ seq: _seq, ...row }) => row) };
}

interface ResultRow {
  seq: number;
  status: string;
  [member: string]: unknown;
}

/** A row for each lead, in the order of the input; a skipped one says why. */
function rowsOf(
  { instance, settings }: Context,
  input: unknown,
  name: string,
  done: string,
  act: (leadId: number) => void,
): ResultRow[] {
  if (!Array.isArray(input) || input.length === 0) throw missingParameter("input");
  if (input.length > settings.batch_rows) throw new Refusal("1003", "Too many records in input");
  return input.map((row: unknown, seq) => {
    const leadId = readId(isObject(row) ? row[name] : row);
    try {
      if (!instance.leads.find(leadId)) throw leadNotFound();
      act(leadId);
      return { seq, [name]: leadId, status: done };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { seq, [name]: leadId, status: "skipped", reasons: [reasonOf(error)] };
    }
  });
}

function requireMember({ instance }: Context, { id }: Program, leadId: number): void {
  if (!instance.programMembers.get(id)?.has(leadId)) throw new Refusal("1013", "Program member not found");
}

function leave(context: Context, program: Program, leadId: number): void {
  requireMember(context, program, leadId);
  context.instance.programMembers.get(program.id)?.delete(leadId);
}
