import { Button, Group, MultiSelect, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { methodNames, type Rule, withMember, withThings } from "./policy.ts";

interface PolicyRuleFieldsProps {
  number: number;
  rule: Rule;
  kinds: { kind: string; title: string }[];
  /** Null takes the rule away. */
  onChange: (rule: Rule | null) => void;
}

/** One rule: allow or deny, by method, path and thing. */
export function PolicyRuleFields({ number, rule, kinds, onChange }: PolicyRuleFieldsProps) {
  const { methods = [], path = "", resources, reason = "" } = rule;
  const pathMistake = path !== "" && !/^\/[^\s?#\\]*$/.test(path) ? "Begin with a slash, without a query." : null;
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
            onChange={(value) => value && onChange({ ...rule, effect: value as Rule["effect"] })}
          />
          <MultiSelect
            label="Methods"
            placeholder={methods.length === 0 ? "Any" : ""}
            data={[...methodNames]}
            value={methods}
            flex="1 1 12rem"
            onChange={(value) => onChange(withMember(rule, "methods", value as Rule["methods"]))}
          />
          <TextInput
            label="Path"
            description="* for one part, ** for any number of parts"
            placeholder="Any"
            value={path}
            error={pathMistake}
            flex="1 1 14rem"
            inputWrapperOrder={["label", "input", "description", "error"]}
            onChange={(event) => onChange(withMember(rule, "path", event.currentTarget.value))}
          />
        </Group>
        <Group gap="sm" align="start">
          {kinds.map(({ kind, title }) => (
            <TagsInput
              key={kind}
              label={title}
              placeholder={resources?.[kind] ? "" : "Any"}
              value={resources?.[kind] ?? []}
              flex="1 1 12rem"
              onChange={(ids) => onChange(withMember(rule, "resources", withThings(resources, kind, ids)))}
            />
          ))}
          <TextInput
            label="Reason"
            placeholder="Shown to the person who is refused"
            value={reason}
            maxLength={500}
            flex="1 1 14rem"
            onChange={(event) => onChange(withMember(rule, "reason", event.currentTarget.value))}
          />
        </Group>
        {Object.keys(resources ?? {}).length > 1 ? (
          <Text size="xs" c="dimmed">
            {rule.effect === "allow"
              ? "The request must touch one of each kind, and nothing else of these kinds."
              : "It is enough that the request touches one of them."}
          </Text>
        ) : null}
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
