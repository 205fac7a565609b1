import { Button, Group, Select, Stack, TagsInput, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import { isSame } from "../../tools/tool.ts";
import { type Account, accountReads } from "../accounts/describe-account.ts";
import { PolicyRuleFields } from "./PolicyRuleFields.tsx";
import {
  emptyRule,
  kindsFor,
  type Policy,
  policyOf,
  presetsOf,
  withOnly,
  withOtherwise,
  withRule,
  withRules,
} from "./policy.ts";
import { TryCall } from "./TryCall.tsx";

/** Which requests the account may be used for. What is typed is tried before it is saved, and a reload keeps it. */
export function PolicyEditor({ account }: { account: Account }) {
  const { may } = useRole(useProject());
  const { connection_id, system, policy } = account;
  const [edited, setEdited, clear] = useDraft<{ policy: Policy | null } | null>(`policy-form.${connection_id}`, null);
  const update = useWrite("/latest/connections/{connection_id}/update", {
    changes: [...accountReads],
    // What was typed meanwhile stays.
    onDone: (_, sent) => isSame(sent.policy, edited?.policy) && clear(),
  });
  const draft = edited ? edited.policy : policyOf(policy);
  const rules = draft?.rules ?? [];
  const isAdmin = may("admin");
  const edit = (next: Policy | null) => setEdited({ policy: next });
  return (
    <Section
      title="Policy"
      lead="Which requests steps, tools and agents may send with this account. A rule that denies wins over one that allows."
    >
      {isAdmin ? null : <Text size="sm">Only an admin of the project can change the policy.</Text>}
      {rules.length === 0 ? <Text size="sm">No rule yet: every request is allowed.</Text> : null}
      <fieldset disabled={!isAdmin} className="plain-fieldset">
        <Stack gap="md">
          {rules.map((rule, index) => (
            <PolicyRuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name of their own; their order is their identity.
              key={index}
              number={index + 1}
              rule={rule}
              kinds={kindsFor(system, rule.resources)}
              onChange={(next) => edit(withRule(draft, index, next))}
            />
          ))}
          <Group gap="xs">
            <Button variant="default" size="compact-sm" onClick={() => edit(withRules(draft, [emptyRule]))}>
              Add a rule
            </Button>
            {presetsOf(system).map(({ title, rules: added }) => (
              <Button key={title} variant="subtle" size="compact-sm" onClick={() => edit(withRules(draft, added))}>
                {title}
              </Button>
            ))}
          </Group>
          {kindsFor(system, draft?.only).map(({ kind, title }) => (
            <TagsInput
              key={kind}
              label={`${title}: only these`}
              description="Ids or names, each followed by Enter. Every request must then touch one of them. Empty: any."
              value={draft?.only?.[kind] ?? []}
              disabled={!isAdmin}
              onChange={(ids) => edit(withOnly(draft, kind, ids))}
            />
          ))}
          <Select
            label="A request that no rule matches"
            data={[
              { value: "auto", label: "Is refused as soon as a rule allows something, else allowed" },
              { value: "allow", label: "Is allowed" },
              { value: "deny", label: "Is refused" },
            ]}
            value={draft?.otherwise ?? "auto"}
            disabled={!isAdmin}
            allowDeselect={false}
            onChange={(value) => edit(withOtherwise(draft, value === "allow" || value === "deny" ? value : null))}
          />
        </Stack>
      </fieldset>
      <ProblemNotice problem={update.problem} />
      {edited ? (
        <Group gap="xs">
          <Button loading={update.isRunning} onClick={() => update.run({ connection_id, policy: draft })}>
            Save the policy
          </Button>
          <Button variant="default" onClick={clear}>
            Undo the changes
          </Button>
          <Text size="sm" c="dimmed">
            Not saved yet.
          </Text>
        </Group>
      ) : null}
      {update.output && !edited ? (
        <Text size="sm" role="status">
          The policy is saved. It applies from the next request on.
        </Text>
      ) : null}
      {may("editor") ? <TryCall account={account} policy={draft} isSaved={edited === null} /> : null}
    </Section>
  );
}
