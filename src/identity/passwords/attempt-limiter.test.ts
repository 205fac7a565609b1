import { describe, expect, test } from "vitest";
import { type Attempt, type AttemptSource, createAttemptLimiter } from "./attempt-limiter.ts";

const hourSeconds = 3600;
const stranger = (address: string): AttemptSource => ({ kind: "stranger", address });
const knownAddress = (address: string): AttemptSource => ({ kind: "known address", address });
const browser = (id: string): AttemptSource => ({ kind: "browser", id });

function withClock(rate = { quota: 10, windowSeconds: 900 }) {
  let ms = 5000;
  const tries = createAttemptLimiter(rate, () => ms);
  const pass = (seconds: number) => {
    ms += seconds * 1000;
  };
  /** How long it has to wait; 0 if the password was compared, and wrong. */
  const wrong = (account: string, source: AttemptSource): number => {
    const begun = tries.begin(account, source);
    return typeof begun === "number" ? begun : 0;
  };
  const right = (account: string, source: AttemptSource): boolean => {
    const begun = tries.begin(account, source);
    if (typeof begun !== "number") begun.succeeded();
    return typeof begun !== "number";
  };
  /** How many guesses an attacker with so many addresses gets who never pauses. */
  const guessesIn = (seconds: number, account: string, addresses: number): number => {
    let guesses = 0;
    for (let second = 0; second < seconds; second += 9, pass(9)) {
      for (let address = 0; address < addresses; address++) {
        while (wrong(account, stranger(`10.1.${address >> 8}.${address & 255}`)) === 0) guesses++;
      }
    }
    return guesses;
  };
  return { tries, pass, wrong, right, guessesIn };
}

/** How long a source has to wait before each of so many wrong attempts. */
function waitsOf({ wrong, pass }: ReturnType<typeof withClock>, source: AttemptSource, count: number): number[] {
  return Array.from({ length: count }, () => {
    const wait = wrong("ada", source);
    pass(wait);
    if (wait > 0) expect(wrong("ada", source)).toBe(0);
    return wait;
  });
}

describe("wrong passwords", () => {
  test.each([
    ["a stranger", stranger("192.0.2.1")],
    ["an address that somebody has signed in from", knownAddress("192.0.2.1")],
    ["a browser that somebody has signed in with", browser("one")],
  ])("of %s make it wait, longer each time: 1, 2, 4, 8, 16 seconds, then 90", (_name, source) => {
    expect(waitsOf(withClock(), source, 13)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 90, 90, 90]);
  });

  test("at another account, from another address or in another browser are counted by themselves", () => {
    const { wrong } = withClock();
    for (let count = 0; count < 20; count++) wrong("ada", stranger("192.0.2.1"));
    expect(wrong("ada", stranger("192.0.2.1"))).toBeGreaterThan(0);
    expect(wrong("bob", stranger("192.0.2.1"))).toBe(0);
    expect(wrong("ada", stranger("192.0.2.2"))).toBe(0);
    expect(wrong("ada", browser("one"))).toBe(0);
  });

  test("concurrent attempts get no more than sequential ones", () => {
    const { wrong } = withClock();
    const waits = Array.from({ length: 50 }, () => wrong("ada", stranger("192.0.2.1")));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test("expire with time, and are cleared by a right one", () => {
    const { wrong, right, pass } = withClock();
    for (let count = 0; count < 4; count++) wrong("ada", stranger("192.0.2.1"));
    expect(right("ada", stranger("192.0.2.1"))).toBe(true);
    for (let count = 0; count < 5; count++) expect(wrong("ada", stranger("192.0.2.1"))).toBe(0);
    expect(wrong("ada", stranger("192.0.2.1"))).toBe(1);
    pass(900);
    for (let count = 0; count < 5; count++) expect(wrong("ada", stranger("192.0.2.1"))).toBe(0);
  });

  test("an attempt that was not compared is undone", () => {
    const { tries } = withClock();
    for (let count = 0; count < 200; count++) (tries.begin("ada", stranger("192.0.2.1")) as Attempt).undo();
    expect(typeof tries.begin("ada", stranger("192.0.2.1"))).toBe("object");
  });

  test("right ones never delay right ones", () => {
    const { right } = withClock();
    for (let count = 0; count < 1000; count++) expect(right("ada", stranger("192.0.2.1"))).toBe(true);
  });

  test("one password at many accounts: an address has a hundred wrong ones, then one every nine seconds", () => {
    const { wrong, pass } = withClock();
    let looked = 0;
    for (let account = 0; account < 1000; account++)
      if (wrong(`person ${account}`, stranger("192.0.2.1")) === 0) looked++;
    expect(looked).toBe(100);
    expect(wrong("somebody", stranger("192.0.2.1"))).toBe(9);
    expect(wrong("somebody", stranger("192.0.2.2"))).toBe(0);
    expect(wrong("somebody", knownAddress("192.0.2.1"))).toBe(0);
    pass(9);
    expect(wrong("somebody else", stranger("192.0.2.1"))).toBe(0);
  });

  test.each([
    [1, 50],
    [5, 250],
    [100, 350],
    [1000, 500],
  ])("an attacker with %i addresses gets about %i guesses in an hour", (addresses, about) => {
    const guesses = withClock().guessesIn(hourSeconds, "ada", addresses);
    expect(guesses).toBeGreaterThan(about * 0.8);
    expect(guesses).toBeLessThan(about * 1.1);
  });

  test("from many addresses delay no known source, nor an address that is new to the account", () => {
    const { wrong, right, guessesIn } = withClock();
    guessesIn(600, "ada", 40);
    expect(wrong("ada", stranger("10.1.0.1"))).toBeGreaterThan(0);
    expect(right("ada", browser("hers"))).toBe(true);
    expect(right("ada", knownAddress("198.51.100.1"))).toBe(true);
    expect(right("ada", stranger("198.51.100.7"))).toBe(true);
  });

  test("from more addresses than that delay strangers for some seconds, never for good", () => {
    const { wrong, right, guessesIn } = withClock();
    guessesIn(600, "ada", 2000);
    const wait = wrong("ada", stranger("198.51.100.7"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(18);
    expect(right("ada", browser("hers"))).toBe(true);
    expect(right("bob", stranger("198.51.100.7"))).toBe(true);
  });

  test("filling memory with made-up accounts and addresses resets no limit of an attacked account", () => {
    const { wrong } = withClock();
    for (let address = 0; address < 200; address++) wrong("ada", stranger(`10.1.0.${address}`));
    expect(wrong("ada", stranger("10.2.0.1"))).toBeGreaterThan(0);
    for (let index = 0; index < 120_000; index++) wrong(`made up ${index}`, stranger(`2001:db8:0:${index}::/64`));
    expect(wrong("ada", stranger("10.2.0.1"))).toBeGreaterThan(0);
    // It also delays no other account: few of them share a slot.
    let heldUp = 0;
    for (let index = 0; index < 500; index++) if (wrong(`person ${index}`, stranger(`10.3.0.${index}`)) > 0) heldUp++;
    expect(heldUp).toBe(0);
  });

  test("expired counts are dropped: after a day none are left", () => {
    const { tries, wrong, pass } = withClock();
    for (let index = 0; index < 500; index++) wrong("ada", stranger(`10.1.0.${index}`));
    pass(25 * hourSeconds);
    tries.sweep();
    for (let count = 0; count < 5; count++) expect(wrong("ada", stranger("10.1.0.1"))).toBe(0);
  });
});
