import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./faults.ts";
import type { SandboxAnswer } from "./sandbox.ts";

/** Whether the fault answers instead of the system; otherwise it holds up, changes or cuts off what the system does. */
export const answersItself = ({ status, body, drop }: Fault): boolean =>
  drop === undefined && (status !== undefined || body !== undefined);

/** Null where the connection is cut before anything happens. */
export async function answerWith(
  fault: Fault | null,
  handle: () => SandboxAnswer | Promise<SandboxAnswer>,
): Promise<SandboxAnswer | null> {
  if (!fault) return handle();
  await delay(fault);
  if (fault.drop === "before") return null;
  // A body alone comes with 200: one of the systems tells its failures so.
  if (answersItself(fault)) {
    if (fault.applied) await handle();
    return { status: fault.status ?? 200, headers: fault.headers ?? {}, body: fault.body ?? "" };
  }
  const answer = await handle();
  return { ...answer, headers: { ...answer.headers, ...fault.headers } };
}

/** The same for a library that answers with the connection itself. */
export async function takeOverWith(
  fault: Fault | null,
  request: IncomingMessage,
  response: ServerResponse,
  takeOver: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<void> {
  if (fault) await delay(fault);
  if (fault?.drop === "before") {
    request.socket.destroy();
    return;
  }
  for (const [name, value] of Object.entries(fault?.headers ?? {})) response.setHeader(name, value);
  if (fault?.drop === "after") {
    response.end = () => {
      request.socket.destroy();
      return response;
    };
  }
  takeOver(request, response);
}

/** The server keeps the process alive; once it is stopped, nothing waits for a call that is still held up. */
async function delay({ delay_ms: milliseconds }: Fault): Promise<void> {
  if (milliseconds) await new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
