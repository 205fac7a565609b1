import { fromYaml, toYaml } from "../yaml.ts";

export const readYaml = (asked: { text: string; charactersMax: number }) => fromYaml(asked.text, asked.charactersMax);

/** Takes the value as JSON. */
export const writeYaml = (json: string): string => toYaml(JSON.parse(json));
