import { type ApiRequest, isObject, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal, wrongType } from "../gateway/refusal.ts";
import { centralDay, readTime } from "../gateway/times.ts";
import { type Context, nextId } from "../instance.ts";
import type { Campaign } from "../records.ts";
import { requireCampaign } from "./campaigns.ts";
import { checkTokens } from "./my-tokens.ts";
import { runCampaign } from "./run-campaign.ts";

const shortestWait = 5 * 60_000;

/** `POST /rest/v1/campaigns/{id}/schedule.json`: batch campaigns only; without a body it runs in five minutes. */
export function scheduleCampaign(context: Context, request: ApiRequest): Reply {
  const { instance, clock, settings } = context;
  const body = request.hasBody ? request.json() : {};
  const campaign = requireCampaign(instance, pathId(request));
  if (campaign.type !== "batch") throw new Refusal("1003", "Campaign is not a batch campaign");
  const input = isObject(body.input) ? body.input : {};
  const runAt = readRunAt(clock.now(), input.runAt);
  checkTokens(settings, campaign, input.tokens);
  const cloneName = input.cloneToProgramName ?? input.cloneToProgram;
  const scheduled = cloneName === undefined ? campaign : cloneInto(context, campaign, cloneName);
  clock.at(runAt, () => runCampaign({ instance, clock }, scheduled, leadsOf(context, scheduled)));
  return { result: [{ id: campaign.id }] };
}

function readRunAt(now: number, value: unknown): number {
  if (value === undefined || value === null || value === "") return now + shortestWait;
  const runAt = readTime(String(value));
  if (runAt === null) throw wrongType(String(value), "Datetime");
  // A second of grace: times are sent in whole seconds, so "five minutes from now" arrives a little short.
  if (runAt < now + shortestWait - 1000) throw new Refusal("1003", "runAt must be at least 5 minutes from now");
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 2);
  if (runAt > latest.getTime()) throw new Refusal("1042", "runAt must be within 2 years from now");
  return runAt;
}

/** The program is copied under the new name with the campaign in it, and the copy runs. There is an allowance a day. */
function cloneInto({ instance, clock, settings }: Context, campaign: Campaign, name: unknown): Campaign {
  const program = campaign.programId === null ? null : instance.programs.get(campaign.programId);
  if (typeof name !== "string" || name === "") throw invalidValue("cloneToProgramName", name);
  if (!program) throw new Refusal("1003", "Campaign is not in a program");
  if ([...instance.programs.values()].some((each) => each.name === name)) {
    throw new Refusal("1003", `Program '${name}' already exists`);
  }
  const { date } = centralDay(clock.now());
  const clones = instance.clonesByDay.get(date) ?? 0;
  if (clones >= settings.schedule_clones_per_day) throw new Refusal("1020", "Clone allowance of the day is used up");
  instance.clonesByDay.set(date, clones + 1);
  const times = { createdAt: clock.now(), updatedAt: clock.now() };
  const copy = { ...program, id: nextId(instance.programs), name, ...times };
  instance.programs.set(copy.id, copy);
  const inside = { ...campaign, id: nextId(instance.campaigns), programId: copy.id, runs: 0, ...times };
  instance.campaigns.set(inside.id, inside);
  return inside;
}

function leadsOf({ instance }: Context, campaign: Campaign) {
  const list = campaign.listId === null ? undefined : instance.lists.get(campaign.listId);
  return [...(list?.members ?? [])].flatMap((id) => instance.leads.find(id) ?? []);
}
