import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import type { CallToMake } from "./load/requests.ts";
import { mark } from "./load/requests.ts";
import { megabytesOf } from "./pages.ts";
import type { Plan } from "./rounds/compare.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { startLoad } from "./targets/target.ts";

const people = 100_000;
const groups = 1000;
const membersOfGroup = 100;
const connections = 32;
/** "A full import of 100,000 users and 1,000 groups under 5 minutes with flat memory." */
const importSecondsMax = 300;
/** "SCIM holds 200 requests a second on one process with 100,000 users." */
const requestsWanted = 200;

interface Imported {
  ids: string[];
  groupIds: string[];
  seconds: number;
  /** Of the server, after each tenth of the import. */
  megabytes: number[];
}

/** An identity provider's first day, and then its every day. */
export async function provisionDirectory(folder: string, plan: Plan): Promise<Line[]> {
  const home = join(folder, "scim");
  const target = await startSignalbox(home, [], { SIGNALBOX_RATE_LIMITS: "scim=1000000000" });
  const load = await startLoad();
  try {
    const token = tokenIn(home);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
    const imported = await importEverybody(target.port, target.pid, headers);
    const { megabytes } = imported;
    const [early = 0, last = 0] = [megabytes[2], megabytes.at(-1)];
    console.log(
      `scim: ${people + groups} resources in ${Math.round(imported.seconds)} s; memory after each tenth: ${megabytes.join(", ")} MB`,
    );
    const lines: Line[] = [
      lineOf(
        "import of people and groups",
        "/s",
        [(people + groups) / imported.seconds],
        { name: "in 5 minutes", figures: [(people + groups) / importSecondsMax] },
        1,
      ),
      lineOf("memory at the end of the import", "MB", [last], { name: "after three tenths", figures: [early] }, 0.8),
    ];
    for (const [what, calls] of Object.entries(callsOn(imported, headers))) {
      const loaded = { target, calls };
      // The import has warmed most of it.
      await load.measure(loaded, 1);
      const rates: number[] = [];
      for (let round = 0; round < plan.rounds; round++)
        rates.push((await load.measure(loaded, plan.seconds)).perSecond);
      console.log(`scim, ${what}: ${rates.map(Math.round).join(", ")} a second`);
      lines.push(lineOf(what, "/s", rates, { name: "what is asked for", figures: rates.map(() => requestsWanted) }, 1));
    }
    return lines;
  } finally {
    await Promise.all([load.stop(), target.stop()]);
  }
}

function tokenIn(home: string): string {
  const written = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")) as {
    regions: { us: { scim_token: string } };
  };
  return written.regions.us.scim_token;
}

/** As Entra ID sends a person, with what most organizations map. Names are scattered over the alphabet. */
function person(number: number) {
  const word = (Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return {
    schemas: [
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
    ],
    externalId: `ext-${word}`,
    userName: `${word}@seed.example.com`,
    active: true,
    displayName: `Person ${word}`,
    title: "Engineer",
    name: { givenName: word.slice(0, 4), familyName: word.slice(4) },
    emails: [{ primary: true, type: "work", value: `${word}@seed.example.com` }],
    phoneNumbers: [{ type: "work", value: `+1 555 ${number}` }],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {
      department: `D${number % 50}`,
      employeeNumber: word,
    },
  };
}

async function importEverybody(port: number, pid: number, headers: Record<string, string>): Promise<Imported> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const post = async (path: string, body: unknown): Promise<string> => {
    const answer = await pool.request({ method: "POST", path, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 201) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  };
  const megabytes: number[] = [];
  const startedAt = performance.now();
  const ids = await inTurn(people, async (number) => {
    if (number % (people / 10) === people / 10 - 1) megabytes.push(megabytesOf(pid));
    return post("/scim/v2/Users", person(number));
  });
  const groupIds = await inTurn(groups, (number) => {
    const members = ids.slice(number * membersOfGroup, (number + 1) * membersOfGroup).map((value) => ({ value }));
    return post("/scim/v2/Groups", { displayName: `Group ${number}`, members });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { ids, groupIds, seconds, megabytes };
}

/** So many pieces of work, as many at a time as there are connections. */
async function inTurn<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      results[number] = await work(number);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return results;
}

/** What a provider asks every day, each spread over many people. */
function callsOn({ ids, groupIds }: Imported, headers: Record<string, string>): Record<string, CallToMake[]> {
  const some = ids.filter((_, index) => index % 100 === 0);
  const people = some.map((id, index) => ({ id, ...person(index * 100) }));
  const filtered = (filter: string): CallToMake => ({
    method: "GET",
    path: `/scim/v2/Users?filter=${encodeURIComponent(filter)}`,
    headers,
  });
  const patch = (path: string, operation: object): CallToMake => ({
    method: "PATCH",
    path,
    headers,
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: [operation] },
  });
  const member = (index: number) => [{ value: some[index % some.length] }];
  const kinds = {
    "filter by userName": people.map(({ userName }) => filtered(`userName eq "${userName}"`)),
    "filter by externalId": people.map(({ externalId }) => filtered(`externalId eq "${externalId}"`)),
    "filter by emails.value": people.map(({ userName }) => filtered(`emails[type eq "work"].value eq "${userName}"`)),
    "read a user": people.map(({ id }): CallToMake => ({ method: "GET", path: `/scim/v2/Users/${id}`, headers })),
    "change a user": people.map(({ id }) =>
      patch(`/scim/v2/Users/${id}`, { op: "Replace", path: "title", value: mark }),
    ),
    "list a page of 100": people.map(
      (_, index): CallToMake => ({
        method: "GET",
        path: `/scim/v2/Users?startIndex=${1 + index * 100}&count=100`,
        headers,
      }),
    ),
    "add and remove members": groupIds.flatMap((id, index) => [
      patch(`/scim/v2/Groups/${id}`, { op: "Add", path: "members", value: member(index) }),
      patch(`/scim/v2/Groups/${id}`, { op: "Remove", path: "members", value: member(index) }),
    ]),
  };
  const all = Object.values(kinds);
  // One of each in turn.
  const mixed = Array.from({ length: 1000 }, (_, turn) =>
    all.map((calls) => calls[turn % calls.length] as CallToMake),
  ).flat();
  return { ...kinds, "all of these in turn": mixed };
}
