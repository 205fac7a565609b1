import { fromYaml, toYaml } from "../yaml.ts";

/** What stands in a YAML text, or what is wrong with it. */
export const readYaml = (asked: { text: string; charactersMax: number }) => fromYaml(asked.text, asked.charactersMax);

/** A value, given as JSON, as YAML. */
export const writeYaml = (json: string): string => toYaml(JSON.parse(json));
