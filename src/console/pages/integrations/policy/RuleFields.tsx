import { Button, Group, MultiSelect, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { type kindsOf, methodNames, type RuleDraft } from "./policy.ts";

interface RuleFieldsProps {
  number: number;
  rule: RuleDraft;
  kinds: NonNullable<(typeof kindsOf)[string]>;
  /** Null takes the rule away. */
  onChange: (rule: RuleDraft | null) => void;
}

/** One rule: allow or deny, by method, path and thing. */
export function RuleFields({ number, rule, kinds, onChange }: RuleFieldsProps) {
  const set = <K extends keyof RuleDraft>(name: K, value: RuleDraft[K]) => onChange({ ...rule, [name]: value });
  const pathMistake =
    rule.path !== "" && !/^\/[^\s?#\\]*$/.test(rule.path) ? "Begin with a slash, without a query." : null;
  return (
    <fieldset className="rule">
      <legend>Rule {number}</legend>
      <Stack gap="sm">
        <Group gap="sm" align="start">
          <Select
            label="Effect"
            data={[
              { value: "allow", label: "Allow" },
              { value: "deny", label: "Deny" },
            ]}
            value={rule.effect}
            allowDeselect={false}
            w="7rem"
            onChange={(value) => value && set("effect", value as RuleDraft["effect"])}
          />
          <MultiSelect
            label="Methods"
            placeholder={rule.methods.length === 0 ? "Any" : ""}
            data={[...methodNames]}
            value={rule.methods}
            flex="1 1 12rem"
            onChange={(value) => set("methods", value)}
          />
          <TextInput
            label="Path"
            description="* for one part, ** for any number of parts"
            placeholder="Any"
            value={rule.path}
            error={pathMistake}
            flex="1 1 14rem"
            inputWrapperOrder={["label", "input", "description", "error"]}
            onChange={(event) => set("path", event.currentTarget.value)}
          />
        </Group>
        <Group gap="sm" align="start">
          <Select
            label="Thing"
            data={[{ value: "", label: "Any" }, ...kinds.map(({ kind, title }) => ({ value: kind, label: title }))]}
            value={rule.kind}
            allowDeselect={false}
            w="10rem"
            onChange={(value) => set("kind", (value ?? "") as RuleDraft["kind"])}
          />
          {rule.kind === "" ? null : (
            <TagsInput label="Ids or names" value={rule.ids} flex="1 1 12rem" onChange={(value) => set("ids", value)} />
          )}
          <TextInput
            label="Reason"
            placeholder="Shown to the person who is refused"
            value={rule.reason}
            maxLength={500}
            flex="1 1 14rem"
            onChange={(event) => set("reason", event.currentTarget.value)}
          />
        </Group>
        <Group justify="flex-end">
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            aria-label={`Delete rule ${number}`}
            onClick={() => onChange(null)}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}
