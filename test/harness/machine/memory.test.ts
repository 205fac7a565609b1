import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { memory } from "./memory.ts";

testShort(
  memory,
  "a server that gets no more memory goes on or ends, and loses nothing",
  ({ faults, acknowledged }) => {
    expect(faults).toBe(memory.shortCycles);
    expect(acknowledged).toBeGreaterThan(0);
  },
);
