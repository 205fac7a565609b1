import { partsOf } from "../expression-syntax/split-text.ts";
import { type Pieces, writePieces } from "../json-pieces.ts";

/** The parts of each text, in order. */
export const readTexts = (texts: string[]): Promise<Pieces> =>
  writePieces(texts.map(partsOf), Number.POSITIVE_INFINITY);
