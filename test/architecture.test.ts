import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { systemIds } from "../src/systems/index.ts";
import { positionOf } from "./support/source/rooms.ts";
import { areAlmostEqual, isTest, root, silentFailures, sourcesIn } from "./support/source/source-files.ts";

/** Who may know whom: the imports, compared with the line that the architecture draws. */

const everySource = sourcesIn("src");
const sources = everySource.filter((source) => !isTest(source));

/** Files directly in src/ are the main room; everything else is named by its folder. */
const roomOf = (path: string): string => {
  const [, folder = "", ...rest] = path.split("/");
  return rest.length === 0 ? "main" : folder;
};

describe("the rooms", () => {
  test("imports are found at all", () => {
    const known = sources.find(({ path }) => path === "src/access/invites.ts");
    expect(known?.imports).toEqual(expect.arrayContaining(["src/kernel/problem.ts", "src/access/invites.store.ts"]));
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
    expect(sources.flatMap(({ imports }) => imports).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("every folder of src/ is a room of the line", () => {
    const unknown = sources.map(({ path }) => path).filter((path) => positionOf(roomOf(path)) < 0);
    expect(unknown).toEqual([]);
  });

  test("a room imports only from rooms to its left", () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter(
          (imported) => roomOf(imported) !== roomOf(path) && positionOf(roomOf(imported)) >= positionOf(roomOf(path)),
        )
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  /** Within a room: "A folder imports only from folders above it in this list." The files of the room itself put them together. */
  test.each([
    ["limits", ["state", "reported", "rounds", "waiting", "shown", "history"]],
    ["runs", ["record", "queue", "journal", "outcome", "reconcile", "engine", "single-step", "worker"]],
  ])("the folders of %s import only from those to their left", (room, folders) => {
    const folderOf = (path: string): string => (path.split("/").length > 3 ? (path.split("/")[2] ?? "") : "the room");
    const positionIn = (path: string): number => [...folders, "the room"].indexOf(folderOf(path));
    const own = sources.filter(({ path }) => roomOf(path) === room);
    expect([...new Set(own.map(({ path }) => folderOf(path)))].sort()).toEqual([...folders, "the room"].sort());
    const wrong = own.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => roomOf(imported) === room && positionIn(imported) > positionIn(path))
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  test("client and console take types alone from the server: no server code reaches a browser", () => {
    const wrong = sources
      .filter(({ path }) => ["client", "console"].includes(roomOf(path)))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/^import (?!type )[^"]*?(?:from )?"(\.[^"]+)"/gm)].map((found) => [path, found[1] ?? ""]),
      )
      .map(([path = "", name = ""]) => [path, relative(root, resolve(root, dirname(path), name))])
      .filter(([, imported = ""]) => !["client", "console"].includes(roomOf(imported)) && !imported.endsWith(".css"))
      // Plain data, as `system-names.test.ts` checks.
      .filter(([, imported = ""]) => imported !== "src/systems/presented-systems.ts");
    expect(wrong).toEqual([]);
  });

  test("systems imports kernel alone", () => {
    const wrong = sources
      .filter(({ path }) => roomOf(path) === "systems")
      .flatMap(({ path, imports }) => imports.map((imported) => [path, roomOf(imported)]))
      .filter(([, room]) => room !== "kernel" && room !== "systems");
    expect(wrong).toEqual([]);
  });

  test("untrusted imports kernel alone", () => {
    const wrong = sources
      .filter(({ path }) => roomOf(path) === "untrusted")
      .flatMap(({ path, imports }) => imports.map((imported) => [path, roomOf(imported)]))
      .filter(([, room]) => room !== "kernel" && room !== "untrusted");
    expect(wrong).toEqual([]);
  });

  test("nothing in src/ but its tests imports from outside of it", () => {
    const outside = sources.flatMap(({ path, imports }) =>
      imports.filter((imported) => !imported.startsWith("src/")).map((imported) => `${path} imports ${imported}`),
    );
    expect(outside).toEqual([]);
  });

  test("the sandboxes import nothing from src/", () => {
    const wrong = sourcesIn("sandboxes").flatMap(({ path, imports }) =>
      imports.filter((imported) => imported.startsWith("src/")).map((imported) => `${path} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no file imports itself, not even in a circle", () => {
    const imports = new Map(sources.map((source) => [source.path, source.imports]));
    const finished = new Set<string>();
    const circles: string[] = [];
    const walk = (path: string, trail: string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (trail.includes(path) || finished.has(path)) return;
      for (const imported of imports.get(path) ?? []) walk(imported, [...trail, path]);
      finished.add(path);
    };
    for (const path of imports.keys()) walk(path, []);
    expect(circles).toEqual([]);
  });
});

describe("the store", () => {
  const isStore = (path: string): boolean => path.endsWith(".store.ts") || roomOf(path) === "store";

  test("SQL appears only in *.store.ts and in store/", () => {
    const sql = /\.query\s*[(<]|["'`]\s*(?:select\s|(?:insert into|update \w+ set|delete from|with \w+ as)\b)/i;
    const wrong = sources.filter(({ path, code }) => !isStore(path) && sql.test(code)).map(({ path }) => path);
    expect(wrong).toEqual([]);
    // The same test does find what it looks for.
    expect(sources.filter(({ path, code }) => path.endsWith(".store.ts") && !sql.test(code))).toEqual([]);
  });

  /** Tests and benchmarks may look. `retention` deletes expired runs too, but `runs/expired-runs.ts` does it for it. */
  test.each([
    ["runs", "runs"],
    ["run_steps", "runs"],
    ["connections", "vault"],
    ["tools", "tools"],
  ])("the table %s is read and written in src/%s alone", (table, room) => {
    const statement = new RegExp(`\\b(?:from|into|update|join) ${table}\\b`);
    const users = sources.filter(({ path, code }) => isStore(path) && statement.test(code.replace(/\s+/g, " ")));
    expect(new Set(users.map(({ path }) => roomOf(path)))).toEqual(new Set([room]));
  });

  test("a *.store.ts is imported within its own folder, and nowhere else", () => {
    const stores = sources.map(({ path }) => path).filter((path) => path.endsWith(".store.ts"));
    expect(stores.length).toBeGreaterThan(5);
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => imported.endsWith(".store.ts") && dirname(imported) !== dirname(path))
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("names", () => {
  test("index.ts exists only where it is a list: in systems/, api/ and untrusted/tasks/", () => {
    const lists = ["src/systems/index.ts", "src/api/index.ts", "src/untrusted/tasks/index.ts"];
    const wrong = everySource
      .map(({ path }) => path)
      .filter((path) => path.endsWith("/index.ts") && !lists.includes(path));
    expect(wrong).toEqual([]);
  });

  test("no folder is called utils, helpers, common, shared or lib", () => {
    const all = [...everySource, ...sourcesIn("test"), ...sourcesIn("sandboxes"), ...sourcesIn("scripts")];
    const wrong = all.map(({ path }) => path).filter((path) => /\/(utils?|helpers?|common|shared|lib)\//.test(path));
    expect(wrong).toEqual([]);
  });

  test("a file is called in kebab-case, and a component of the console by its own name", () => {
    const isRight = (path: string) =>
      /^[a-z0-9/.-]+$/.test(path) || /^src\/console\/[a-z0-9/-]+\/[A-Z]\w+\.tsx$/.test(path);
    const wrong = everySource.map(({ path }) => path).filter((path) => !isRight(path));
    expect(wrong).toEqual([]);
  });
});

describe("files", () => {
  const everyFile = [...everySource, ...["test", "bench", "sandboxes", "scripts"].flatMap(sourcesIn)];

  test("a file has at most 300 lines", () => {
    const long = everyFile.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  /** "No two files of one name but for a letter": in one folder, or anywhere if the names have several words. */
  test("no two files have one name but for a letter", () => {
    expect(areAlmostEqual("lost-write", "lost-writes") && areAlmostEqual("Rows", "rows")).toBe(true);
    expect(areAlmostEqual("saml", "yaml") || areAlmostEqual("runs", "runs")).toBe(false);
    const nameOf = (path: string): string => basename(path).replace(/\.(?:test\.|store\.)?tsx?$/, "");
    const hasWords = (name: string): boolean => /-|[a-z][A-Z]/.test(name);
    const ours = everyFile.map(({ path }) => path).filter((path) => /^(?:src|test)\//.test(path));
    const named = Map.groupBy(ours, nameOf);
    const names = [...named.keys()];
    const pairs = names.flatMap((one, index) =>
      names.slice(index + 1).flatMap((other) => (areAlmostEqual(one, other) ? [[one, other] as const] : [])),
    );
    const confusing = pairs.flatMap(([one, other]) =>
      (named.get(one) ?? []).flatMap((first) =>
        (named.get(other) ?? [])
          .filter((second) => dirname(first) === dirname(second) || (hasWords(one) && hasWords(other)))
          .map((second) => `${first} and ${second}`),
      ),
    );
    expect(pairs.length).toBeGreaterThan(10);
    expect(confusing).toEqual([]);
  });

  test("no two folders beside each other have one name but for a letter", () => {
    const folders = new Set(everyFile.map(({ path }) => dirname(path)).flatMap(withParents));
    expect(folders.has("src/start/cluster")).toBe(true);
    const confusing = [...folders].flatMap((one) =>
      [...folders]
        .filter((other) => one < other && dirname(one) === dirname(other))
        .filter((other) => areAlmostEqual(basename(one), basename(other)) || other === `${one}es`)
        .map((other) => `${one} and ${other}`),
    );
    expect(confusing).toEqual([]);
  });

  const withParents = (folder: string): string[] =>
    folder.includes("/") ? [folder, ...withParents(dirname(folder))] : [folder];

  test("no failure is ignored without a word: each is thrown, logged, or a comment says why nothing is lost", () => {
    expect(silentFailures("  a().catch(() => {});")).toEqual([1]);
    expect(silentFailures("try {\n  a();\n} catch {\n  return null;\n}")).toEqual([3]);
    expect(
      silentFailures("try {\n  a();\n} catch {\n  // Nobody waits for it.\n}\n// Why.\nb().catch(() => {});"),
    ).toEqual([]);
    expect(silentFailures("const end = () => {\n  close();\n};\na().catch(end);\nb().catch(given);")).toEqual([4, 5]);
    expect(silentFailures("function only(error) {\n  throw error;\n}\na().catch(only);\nb().catch(failed);")).toEqual(
      [],
    );
    const ours = sources.filter(({ path }) => roomOf(path) !== "console");
    expect(ours.flatMap(({ path, text }) => silentFailures(text).map((line) => `${path}:${line}`))).toEqual([]);
  });

  test("a folder of more than ten files or folders opens with a README.md that names each", () => {
    const tops = ["src", "sandboxes", "test", "bench"];
    const foldersIn = (top: string): string[] =>
      readdirSync(join(root, top), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    const folders = tops.flatMap((top) => [top, ...foldersIn(top)]).filter((folder) => !isForeign.test(folder));
    expect(folders.length).toBeGreaterThan(50);
    expect(folders.flatMap(unnamedIn)).toEqual([]);
  });

  /** Installed packages, what a build or a tool wrote, and migrations, whose names are numbers in their order. */
  const isForeign = /node_modules|\/\.|^src\/store\/migrations$/;
  const ending = /(?:\.test|\.store|\.d)?\.(?:tsx?|js|mjs|css|json|html|md)$/;
  /** Beside the code that they belong to. */
  const isBeside = (folder: string, name: string): boolean =>
    !folder.startsWith("test") && /\.(?:test|store)\.tsx?$/.test(name);

  function unnamedIn(folder: string): string[] {
    const names = readdirSync(join(root, folder)).filter((name) => !isForeign.test(`${folder}/${name}`));
    if (names.length <= 10) return [];
    const readme = join(root, folder, "README.md");
    if (!existsSync(readme)) return [readme];
    const spans = [...readFileSync(readme, "utf8").matchAll(/`([^`\n]+)`/g)].flatMap(([, span = ""]) =>
      span.split(/[\s,]+/),
    );
    const each = spans.flatMap((span): readonly string[] => (span === "<system>/" ? systemIds : [span]));
    const named = new Set(each.flatMap((span) => [span.split("/")[0], basename(span).replace(ending, "")]));
    return names
      .filter((name) => name !== "README.md" && !isBeside(folder, name) && !named.has(name.replace(ending, "")))
      .map((name) => `${folder}/${name} is not in its README.md`);
  }
});

describe("dependencies", () => {
  /** "A dependency … is imported by one room where that is possible." The web framework is one that must be. */
  test.each([
    ["fastify", ["http"]],
    ["prom-client", ["http"]],
    ["@opentelemetry", ["start"]],
    ["postgres", ["store"]],
    ["node:sqlite", ["store"]],
    ["pino", ["kernel"]],
    ["nodemailer", ["access"]],
    ["qr", ["identity"]],
    ["commander", ["cli"]],
  ])("%s is imported only in %s", (name, rooms) => {
    const users = sources.filter(({ packages }) =>
      packages.some((each) => each === name || each.startsWith(`${name}/`)),
    );
    expect([...new Set(users.map(({ path }) => roomOf(path)))]).toEqual(rooms);
  });
});
