import { Button, CloseButton, Group, Select, Stack } from "@mantine/core";
import { OptionRow } from "../../forms/fields/OptionRow.tsx";
import { type Account, accountName } from "../../state/use-accounts.ts";
import { findFields } from "./find-fields.ts";
import { type Source, sourcesMax } from "./settings.ts";
import type { Field } from "./use-fields.ts";

interface SourcesProps {
  accounts: Account[];
  properties: Map<string, Field[] | undefined>;
  sources: Source[];
  onChange: (sources: Source[]) => void;
}

/** Accounts and their properties. Several are drawn side by side. */
export function Sources({ accounts, properties, sources, onChange }: SourcesProps) {
  const set = (index: number, source: Source) => onChange(sources.with(index, source));
  const add = () => {
    const account = sources.at(-1)?.account ?? accounts[0]?.connection_id ?? "";
    const taken = sources.filter((source) => source.account === account).map(({ property }) => property);
    const free = properties.get(account)?.find(({ value }) => !taken.includes(value));
    onChange([...sources, { account, property: free?.value ?? "" }]);
  };
  return (
    <Stack gap="xs">
      {sources.map((source, index) => {
        const options = properties.get(source.account);
        const which = sources.length > 1 ? ` ${index + 1}` : "";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their place.
          <Group key={index} gap="xs" align="end" wrap="wrap">
            <Select
              label={`Account${which}`}
              data={accounts.map((each) => ({ value: each.connection_id, label: accountName(each) }))}
              value={source.account}
              onChange={(account) => account && set(index, { account, property: "" })}
              allowDeselect={false}
              flex="1 1 14rem"
            />
            <Select
              label={`Property${which}`}
              placeholder={options === undefined ? "Loading …" : "Choose a property"}
              data={withValue(options ?? [], source.property)}
              value={source.property || null}
              onChange={(property) => property && set(index, { ...source, property })}
              renderOption={({ option }) => (
                <OptionRow option={options?.find(({ value }) => value === option.value)} value={option.value} />
              )}
              allowDeselect={false}
              searchable
              filter={findFields(options ?? [])}
              nothingFoundMessage="No property has this name."
              flex="1 1 14rem"
            />
            {sources.length > 1 ? (
              <CloseButton
                aria-label={`Remove source ${index + 1}`}
                size="lg"
                onClick={() => onChange(sources.toSpliced(index, 1))}
              />
            ) : null}
          </Group>
        );
      })}
      {sources.length < sourcesMax ? (
        <Button variant="subtle" size="compact-sm" className="start" onClick={add}>
          Compare with another property
        </Button>
      ) : null}
    </Stack>
  );
}

const withValue = (options: Field[], value: string) => {
  const data = options.map((option) => ({ value: option.value, label: option.label }));
  return value === "" || data.some((option) => option.value === value) ? data : [...data, { value, label: value }];
};
