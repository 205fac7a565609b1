import { randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../kill-loop/random.ts";
import { freePort } from "../../support/processes/free-ports.ts";
import { runProgram } from "../../support/processes/server-process.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";

/**
 * A data folder that must not be served: another server uses it, its file is damaged, its master key is wrong or gone. The
 * server says which and ends, or, where the damage shows only later, answers 503; with the right folder everything is there.
 */
export const folderFaults: Harness = {
  id: "H13",
  name: "folder",
  title: "a folder in use, a damaged file, a wrong or missing master key: the server says so, and loses nothing",
  stores: ["sqlite"],
  fullCycles: 40,
  shortCycles: 1,
  shortTest: "test/harness/short.test.ts",
  async run(options) {
    const world = await World.of(options);
    await world.start();
    try {
      return await folderFaultsIn(world, options);
    } finally {
      await world.kill();
    }
  },
};

/** Each cycle has all of them, on copies of one folder; a short one only those that no other test has. */
export async function folderFaultsIn(
  world: World,
  { cycles, seed, folder, log, isShort }: HarnessOptions,
): Promise<Findings> {
  const random = seededRandom(seed);
  const writers = new Writers(world, seed);
  const broken: string[] = [];
  let [faults, lost, done] = [0, 0, 0];
  await writers.once();
  const backup = join(folder, "kept.backup");
  const kept = await runProgram(["backup", ...of(world.home), "--to", backup]);
  if (kept.code !== 0) broken.push(`backup ended with ${kept.code}: ${kept.output}`);
  await writers.once();
  for (; done < cycles && broken.length === 0; done++) {
    broken.push(...(await expectRefused(world.home, /Another server uses the region us/, "A folder in use")));
    const copy = join(folder, "copy");
    for (const spoil of isShort ? [garbleHead] : [garbleHead, loseKey, changeKey]) {
      copyFolder(world.home, copy);
      broken.push(...(await expectRefused(copy, spoil(copy), spoil.name)));
    }
    faults += isShort ? 2 : 5;
    if (isShort) continue;
    copyFolder(world.home, copy);
    garblePages(join(copy, "us.sqlite"), random);
    broken.push(...(await expectWellOrSaid(copy)));
    const restored = await runProgram(["restore", ...of(copy), "--from", backup, "--force"]);
    if (restored.code !== 0) broken.push(`restore over a damaged file ended with ${restored.code}: ${restored.output}`);
    const verdict = await world.open((store) => writers.judge(store));
    lost += verdict.lost;
    broken.push(...writers.broken, ...verdict.broken);
    if ((done + 1) % 5 === 0) log(`${faults} faults`);
  }
  writers.close();
  const acknowledged = writers.count("acknowledged");
  return { cycles: done, faults, acknowledged, lost, doubled: 0, unknown: 0, recoverySeconds: [], broken };
}

const of = (home: string): string[] => ["--region", "us", "--home", home, "--json"];

/** As a backup of the machine would: the log is there, too. */
function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith("-shm") });
}

const serve = async (home: string): Promise<string[]> => [
  ...["serve", "--regions", "us", "--first-run"],
  ...["--home", home, "--port", String(await freePort()), "--sandboxes", "off"],
];

async function expectRefused(home: string, sentence: RegExp, name: string): Promise<string[]> {
  const { code, output } = await runProgram(await serve(home));
  const isRight = code === 2 && sentence.test(output) && !output.includes("    at ");
  return isRight ? [] : [`${name}: the server ended with ${code}: ${output.slice(-1500)}`];
}

/** The first page is what makes a file a database. */
function garbleHead(home: string): RegExp {
  const file = openSync(join(home, "us.sqlite"), "r+");
  writeSync(file, randomBytes(100), 0, 100, 0);
  closeSync(file);
  rmSync(join(home, "us.sqlite-wal"), { force: true });
  return /is damaged .*Restore the last backup, of .*signalbox restore --region us --from \S*kept\.backup/;
}

function loseKey(home: string): RegExp {
  rmSync(join(home, "master.key"));
  return /its master\.key is missing/;
}

function changeKey(home: string): RegExp {
  const file = join(home, "master.key");
  const length = Buffer.from(readFileSync(file, "utf8").trim(), "base64").length;
  writeFileSync(file, `${randomBytes(length).toString("base64")}\n`);
  return /master key/i;
}

/** Somewhere behind the first pages. */
function garblePages(path: string, random: () => number): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  for (let i = 0; i < 5; i++) {
    const at = 8192 + Math.floor(random() * Math.max(1, size - 16_384));
    writeSync(file, randomBytes(2048), 0, 2048, at);
  }
  closeSync(file);
}

/** Damage in the middle shows when it is read: the start may refuse, and calls may get 503, but none gets 500 or hangs. */
async function expectWellOrSaid(home: string): Promise<string[]> {
  const world = new World(home, null);
  try {
    await world.start();
  } catch (error) {
    const text = String(error);
    return /is damaged/.test(text) ? [] : [`A damaged file: ${text.slice(-1500)}`];
  }
  try {
    const writers = new Writers(world, 1);
    await writers.once();
    await pause(10);
    writers.close();
    return writers.broken.map((sentence) => `On a damaged file: ${sentence}`);
  } finally {
    await world.kill();
  }
}
