import type { Deal } from "./deal.ts";
import { attacksOnOperations, attacksOnSteps, ordinaryCalls } from "./operations.ts";
import { budgetMilliseconds, leastOf, millisecondsMax, pauseOf, stillnessOf } from "./pause.ts";
import { attacksOnProtocols } from "./protocols.ts";
import { attacksOnRequestHead } from "./request-head.ts";
import { attacksOnSaml } from "./saml.ts";
import type { Attack } from "./texts.ts";
import { atOnce, type HostileWorld } from "./world.ts";

export interface Outcome {
  /** Where the loop stood still, or something went wrong, in sentences. */
  found: string[];
  count: number;
  /** The longest time that the loop stood still, in a batch of many requests too. */
  longestMilliseconds: number;
  /** The slowest call of the neighbour, on the wall. */
  neighbourMilliseconds: number;
  /** How often each status was returned. */
  statuses: Record<number, number>;
  /** Each status that an operation or another address returned. */
  statusesOf: Map<string, Set<number>>;
  /** What takes more of the loop than the budget each time, alone; empty unless it was asked for. */
  slow: { name: string; milliseconds: number }[];
}

interface Options {
  /** Whether what takes more of the loop than the budget is listed. Each of a slow batch is then sent alone. */
  listsSlow?: boolean;
  log?(line: string): void;
}

/** A broken connection, and an error of ours. */
const isWrong = (status: number): boolean => status === 0 || status === 500;
/** More at once would be a pause of many and not of one. */
const bytesAtOnce = 8 * 1024 * 1024;

/** Everything that the deal gives to every place, while another tenant calls. Operations come last: they delete things. */
export async function carryOut(world: HostileWorld, deal: Deal, options: Options = {}): Promise<Outcome> {
  for (const ordinary of ordinaryCalls(world)) await world.send(ordinary);
  await world.measure();
  const outcome: Outcome = {
    ...{ found: [], count: 0, longestMilliseconds: 0, neighbourMilliseconds: 0 },
    ...{ statuses: {}, statusesOf: new Map(), slow: [] },
  };
  for (const attacks of [
    attacksOnRequestHead,
    attacksOnProtocols,
    attacksOnSaml,
    attacksOnSteps,
    attacksOnOperations,
  ]) {
    for (const some of inBatches(attacks(world, deal))) {
      await carryOutTogether(world, some, outcome, options);
      if (outcome.count % 5000 < some.length) {
        options.log?.(`${outcome.count} requests, ${outcome.found.length} found, ${outcome.slow.length} slow`);
      }
    }
  }
  return outcome;
}

function* inBatches(attacks: Iterable<Attack>): Generator<Attack[]> {
  let some: Attack[] = [];
  let bytes = 0;
  for (const attack of attacks) {
    const size = attack.body?.length ?? 0;
    if (some.length === atOnce || (some.length > 0 && bytes + size > bytesAtOnce)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(attack);
    bytes += size;
  }
  if (some.length > 0) yield some;
}

/** A pause of one of them is a pause of all: only then is each carried out alone. */
async function carryOutTogether(
  world: HostileWorld,
  attacks: Attack[],
  outcome: Outcome,
  { listsSlow = false }: Options,
): Promise<void> {
  let statuses: number[] = [];
  const { milliseconds, neighbourMilliseconds, neighbourStatus } = await stillnessOf(world, async () => {
    statuses = await Promise.all(attacks.map((attack) => send(world, attack)));
  });
  outcome.neighbourMilliseconds = Math.max(outcome.neighbourMilliseconds, neighbourMilliseconds);
  const isQuiet = milliseconds <= millisecondsMax && neighbourStatus === 200 && !statuses.some(isWrong);
  if (isQuiet) {
    outcome.longestMilliseconds = Math.max(outcome.longestMilliseconds, milliseconds);
    for (const [index, attack] of attacks.entries()) note(attack, statuses[index] ?? 0, outcome);
  } else for (const attack of attacks) await carryOutAlone(world, attack, outcome);
  if (!listsSlow || milliseconds <= budgetMilliseconds) return;
  for (const attack of attacks) {
    const least = await leastOf(world, () => send(world, attack));
    if (least > budgetMilliseconds) outcome.slow.push({ name: attack.name, milliseconds: least });
  }
}

async function carryOutAlone(world: HostileWorld, attack: Attack, outcome: Outcome): Promise<void> {
  let status = 0;
  const pause = await pauseOf(world, async () => {
    status = await send(world, attack);
  });
  note(attack, status, outcome);
  if (pause !== null) outcome.found.push(`${pause}, ${status}: ${attack.name}`);
  if (isWrong(status)) outcome.found.push(`answered ${status}: ${attack.name}`);
}

const send = async (world: HostileWorld, { prepare, ...request }: Attack): Promise<number> =>
  world.send({ ...request, ...(await prepare?.(request)) });

function note({ name }: Attack, status: number, outcome: Outcome): void {
  outcome.count++;
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
  const [address = ""] = name.split(" ");
  const known = outcome.statusesOf.get(address) ?? new Set();
  outcome.statusesOf.set(address, known.add(status));
}
