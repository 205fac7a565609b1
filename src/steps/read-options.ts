import type { Option, OptionSource } from "../systems/define.ts";
import { asFailure, drive, requireRequest } from "../systems/drive.ts";
import { type Gathered, readsOnly, type StepCall, type StepPorts } from "./ports.ts";
import { sendRequest } from "./send-with-retries.ts";

/** Reads the values of a drop-down through the pipeline of a step, policy included. They make no run. */
export async function readOptions(
  source: OptionSource,
  wanted: Parameters<OptionSource["work"]>[0],
  call: StepCall,
  ports: Omit<StepPorts, "journal">,
): Promise<{ options: Option[]; next: string | null }> {
  const gathered: Gathered = { attempts: [], written: [] };
  const offered = await drive(source.work({ ...wanted, identity: call.connection.identity }), (each) =>
    sendRequest(requireRequest(each), call, { ...ports, journal: readsOnly }, gathered).catch(asFailure),
  );
  return { options: offered.options.filter(isUsable).slice(0, offeredMax).map(short), next: nextOf(offered.next) };
}

/** A page of any system has fewer. */
const offeredMax = 1_000;
const valueMax = 1_000;
const labelMax = 2_000;
const cursorMax = 4_000;

/** A value is used as it is, or not at all; a text for people is cut. The system chooses how long they are. */
const isUsable = ({ value }: Option): boolean => value.length <= valueMax;

const short = ({ value, ...words }: Option): Option => {
  const cut = Object.entries(words).map(([name, text]) => [name, text?.slice(0, labelMax)]);
  return { value, ...(Object.fromEntries(cut) as Omit<Option, "value">) };
};

const nextOf = (cursor: string | null): string | null => (cursor !== null && cursor.length > cursorMax ? null : cursor);
