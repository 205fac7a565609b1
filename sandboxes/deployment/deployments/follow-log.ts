import type { ServerResponse } from "node:http";
import type { SandboxAnswer } from "../../server/sandbox.ts";
import type { Deployment } from "../records.ts";
import type { Happening } from "../webhooks/happening.ts";
import type { World } from "../world.ts";
import { nextLineAt } from "./build-log.ts";
import { isOver } from "./builds.ts";

const streamType = "application/stream+json; charset=utf-8";

/** Writes what there is, then more whenever the clock or a change of state brings more, until the build is over. */
export function followLog(
  world: World,
  deployment: Deployment,
  readFrom: (index: number) => object[],
  isFollowed: boolean,
): SandboxAnswer {
  return {
    status: 200,
    stream(_request, response) {
      response.writeHead(200, { "content-type": streamType });
      response.flushHeaders();
      let written = 0;
      let callOff: () => void = () => {};

      function writeNews(): void {
        callOff();
        const news = readFrom(written);
        written += news.length;
        for (const event of news) writeLine(response, event);
        if (!isFollowed || isOver(deployment) || deployment.deletedAt !== null) {
          close();
          return;
        }
        const next = nextLineAt(deployment, world.clock.now());
        if (next !== null) callOff = world.clock.at(next, writeNews);
      }
      function hear(happening: Happening): void {
        if (happening.deployment === deployment) writeNews();
      }
      function close(): void {
        callOff();
        world.listeners.delete(hear);
        world.closers.delete(close);
        response.end();
      }

      world.listeners.add(hear);
      world.closers.add(close);
      response.once("close", close);
      writeNews();
    },
  };
}

export const writeLine = (response: ServerResponse, value: object) => response.write(`${JSON.stringify(value)}\n`);
export { streamType };
