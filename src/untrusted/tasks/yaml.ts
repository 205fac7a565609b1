import { fromYaml, toYaml } from "../yaml.ts";

export const readYaml = (input: { text: string; charactersMax: number }) => fromYaml(input.text, input.charactersMax);

/** Takes the value as JSON. */
export const writeYaml = (json: string): string => toYaml(JSON.parse(json));
