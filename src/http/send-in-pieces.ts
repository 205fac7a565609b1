import type { ServerResponse } from "node:http";

/** So small that a slow reader takes several within the time after which a stalled one is disconnected. */
export const pieceBytes = 128 * 1024;

export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
}

/** Writes the next piece when the reader has taken the one before. Resolves early where the reader has left. */
export async function writeInPieces(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  for (const piece of piecesOf(bytes)) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    }
    response.once("drain", done);
    response.once("close", done);
  });
}
