import type { SandboxAnswer } from "../../server/sandbox.ts";
import { notFound } from "../http/api-error.ts";
import { type ApiRequest, param } from "../http/api-request.ts";
import { requireProject } from "../projects/find-project.ts";
import { requireDeployment } from "./find-deployment.ts";
import { streamType, writeLine } from "./follow-log.ts";

const linesMax = 60;
const secondsBetween = 5;
const paths = ["/", "/api/health", "/pricing", "/api/session", "/docs"];

/** A stream only: requests to a READY deployment, one now and one every five seconds of the clock, for five minutes. */
export function streamRuntimeLogs(request: ApiRequest): SandboxAnswer {
  const { world } = request;
  const project = requireProject(request, param(request, 0));
  const deployment = requireDeployment(request, param(request, 1));
  if (deployment.projectId !== project.id) throw notFound("Deployment");
  return {
    status: 200,
    stream(_request, response) {
      response.writeHead(200, { "content-type": streamType });
      response.flushHeaders();
      if (deployment.readyState !== "READY") {
        response.end();
        return;
      }
      let count = 0;
      let callOff: () => void = () => {};
      const close = () => {
        callOff();
        world.closers.delete(close);
        response.end();
      };
      world.closers.add(close);
      response.once("close", close);
      const writeNext = () => {
        const at = world.clock.now();
        const path = paths[count % paths.length] ?? "/";
        writeLine(response, {
          level: "info",
          message: `GET ${path} 200`,
          rowId: `${at}${String(count).padStart(4, "0")}`,
          source: "request",
          timestampInMs: at,
          domain: deployment.alias[0] ?? deployment.url,
          messageTruncated: false,
          requestMethod: "GET",
          requestPath: path,
          responseStatusCode: 200,
        });
        count++;
        if (count === linesMax) close();
        else callOff = world.clock.at(at + secondsBetween * 1000, writeNext);
      };
      writeNext();
    },
  };
}
