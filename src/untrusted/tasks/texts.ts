import { partsOf } from "../expressions/text.ts";
import { type Pieces, writePieces } from "../pieces.ts";

/** What each of the texts consists of, in their order. */
export const readTexts = (texts: string[]): Promise<Pieces> =>
  writePieces(texts.map(partsOf), Number.POSITIVE_INFINITY);
