import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useDraft } from "../../state/use-draft.ts";
import type { Sandbox } from "../../state/use-sandboxes.ts";
import { useWrite } from "../../state/use-write.ts";
import { Section } from "../../ui/Section.tsx";
import { ProblemNotice } from "../ProblemNotice.tsx";

type NewFault = InputOf<"/latest/sandboxes/{system}/add_fault">;
type Fault = Sandbox["faults"][number];

const kinds: Record<NewFault["kind"], string> = {
  lost_answer: "It takes effect, and the response is lost",
  no_connection: "The connection is cut before anything happens",
  unavailable: "Unavailable (503)",
  server_error: "An error of the server (500)",
  rate_limited: "Too many calls (429)",
  refused: "Not allowed (403)",
  slow: "Five seconds late",
  garbage: "A response that cannot be read",
};
const kindOptions = Object.entries(kinds).map(([value, label]) => ({ value, label }));
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const changes = ["/latest/sandboxes/list"] as const;

/** What will go wrong at the sandbox, and a form for more of it. */
export function SandboxFaults({ sandbox }: { sandbox: Sandbox }) {
  const { system, faults } = sandbox;
  const remove = useWrite("/latest/sandboxes/{system}/remove_fault", { outsideProject: true, changes: [...changes] });
  return (
    <Section title="Faults" lead="The next calls that match fail. Then everything works again.">
      <ProblemNotice problem={remove.problem} />
      {faults.length === 0 ? (
        <Text size="sm" c="dimmed">
          None: the sandbox works as its system does.
        </Text>
      ) : (
        <ul className="short-list" aria-label="Faults that wait">
          {faults.map((fault) => (
            <li key={fault.fault_id}>
              <Text size="sm" fw={600}>
                {wordsOf(fault)}
              </Text>
              <Text size="sm" c="dimmed" className="anywhere">
                {callsOf(fault)}
              </Text>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                ml="auto"
                aria-label={`Remove the fault: ${wordsOf(fault)}`}
                onClick={() => remove.run({ system, fault_id: fault.fault_id })}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <AddFault system={system} />
    </Section>
  );
}

interface FaultDraft {
  kind: NewFault["kind"];
  method: string | null;
  path: string;
  times: string | number;
}

const noDraft: FaultDraft = { kind: "lost_answer", method: null, path: "", times: 1 };

function AddFault({ system }: { system: Sandbox["system"] }) {
  const [draft, setDraft] = useDraft(`fault.${system}`, noDraft);
  const { kind, method, path, times } = draft;
  const add = useWrite("/latest/sandboxes/{system}/add_fault", { outsideProject: true, changes: [...changes] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run({
      system,
      kind,
      times: Number(times) || 1,
      ...(method === null ? {} : { method: method as NonNullable<NewFault["method"]> }),
      ...(path.trim() === "" ? {} : { path: path.trim() }),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <ProblemNotice problem={add.problem} />
        <Select
          label="What goes wrong"
          data={kindOptions}
          value={kind}
          allowDeselect={false}
          onChange={(value) => value && setDraft({ ...draft, kind: value as NewFault["kind"] })}
        />
        <Group gap="sm" align="end">
          <Select
            label="Method"
            placeholder="Any"
            data={methods}
            value={method}
            clearable
            onChange={(value) => setDraft({ ...draft, method: value })}
            flex="1 1 6rem"
          />
          <TextInput
            label="Path"
            placeholder="Any"
            value={path}
            onChange={(event) => setDraft({ ...draft, path: event.currentTarget.value })}
            flex="3 1 12rem"
            className="mono-input"
          />
          <NumberInput
            label="Calls"
            min={1}
            max={1000}
            allowDecimal={false}
            value={times}
            onChange={(value) => setDraft({ ...draft, times: value })}
            flex="1 1 5rem"
          />
          <Button type="submit" loading={add.isRunning}>
            Add the fault
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What a fault does, in words. */
function wordsOf({ status, drop, delay_ms }: Fault): string {
  if (drop === "after") return kinds.lost_answer;
  if (drop === "before") return kinds.no_connection;
  const known: Record<number, string> = {
    503: kinds.unavailable,
    500: kinds.server_error,
    429: kinds.rate_limited,
    403: kinds.refused,
    200: kinds.garbage,
  };
  if (status !== null) return known[status] ?? `Status ${status}`;
  return delay_ms === null ? "A changed response" : `${Math.round(delay_ms / 1000)} seconds late`;
}

function callsOf({ method, path, times }: Fault): string {
  const count = times === 1 ? "the next call" : `the next ${times} calls`;
  return method || path ? `${count}: ${[method, path].filter(Boolean).join(" ")}` : `${count}, whatever it is`;
}
