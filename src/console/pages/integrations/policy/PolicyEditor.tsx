import { Button, Group, Select, Stack, TagsInput, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/call.ts";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { useRole } from "../../../state/who.ts";
import { Section } from "../../../ui/Section.tsx";
import { type Account, accountReads } from "../accounts/describe-account.ts";
import { emptyRule, kindsOf, type PolicyDraft, presetsOf, type RuleDraft, toDraft, toWire } from "./policy.ts";
import { RuleFields } from "./RuleFields.tsx";
import { TryCall } from "./TryCall.tsx";

/** Which requests the account may be used for. What is typed is tried before it is saved, and a reload keeps it. */
export function PolicyEditor({ account }: { account: Account }) {
  const { may } = useRole(useProject());
  const { connection_id, system, policy } = account;
  const [edited, setEdited, clear] = useDraft<PolicyDraft | null>(`policy.${connection_id}`, null);
  const update = useWrite("/latest/connections/{connection_id}/update", {
    changes: [...accountReads],
    onDone: clear,
  });
  const draft = edited ?? toDraft(policy);
  const isAdmin = may("admin");
  const setRule = (index: number, rule: RuleDraft | null) =>
    setEdited({ ...draft, rules: draft.rules.flatMap((each, at) => (at === index ? (rule ? [rule] : []) : [each])) });
  const add = (rules: RuleDraft[]) => setEdited({ ...draft, rules: [...draft.rules, ...rules] });
  return (
    <Section
      title="Policy"
      lead="Which requests steps, tools and agents may send with this account. A rule that denies wins over one that allows."
    >
      {isAdmin ? null : <Text size="sm">Only an admin of the project changes the policy.</Text>}
      {draft.rules.length === 0 ? <Text size="sm">No rule yet: every request is allowed.</Text> : null}
      <fieldset disabled={!isAdmin} className="plain-fieldset">
        <Stack gap="md">
          {draft.rules.map((rule, index) => (
            <RuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name of their own; their order is their identity.
              key={index}
              number={index + 1}
              rule={rule}
              kinds={kindsOf[system] ?? []}
              onChange={(next) => setRule(index, next)}
            />
          ))}
          <Group gap="xs">
            <Button variant="default" size="compact-sm" onClick={() => add([emptyRule])}>
              Add a rule
            </Button>
            {presetsOf(system).map(({ title, rules }) => (
              <Button key={title} variant="subtle" size="compact-sm" onClick={() => add(rules)}>
                {title}
              </Button>
            ))}
          </Group>
          {(kindsOf[system] ?? []).map(({ kind, title }) => (
            <TagsInput
              key={kind}
              label={`${title}: only these`}
              description="Ids or names, each followed by Enter. Every request must then touch one of them. Empty: any."
              value={draft.only[kind] ?? []}
              disabled={!isAdmin}
              onChange={(ids) => setEdited({ ...draft, only: { ...draft.only, [kind]: ids } })}
            />
          ))}
          <Select
            label="A request that no rule speaks of"
            data={[
              { value: "auto", label: "Is refused as soon as a rule allows something, else allowed" },
              { value: "allow", label: "Is allowed" },
              { value: "deny", label: "Is refused" },
            ]}
            value={draft.otherwise || "auto"}
            disabled={!isAdmin}
            allowDeselect={false}
            onChange={(value) => setEdited({ ...draft, otherwise: value === "allow" || value === "deny" ? value : "" })}
          />
        </Stack>
      </fieldset>
      <ProblemNotice problem={update.problem} />
      {edited ? (
        <Group gap="xs">
          <Button loading={update.isRunning} onClick={() => update.run({ connection_id, policy: toWire(draft) })}>
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
          The policy is saved. It holds from the next request on.
        </Text>
      ) : null}
      {may("editor") ? <TryCall account={account} policy={toWire(draft)} isSaved={edited === null} /> : null}
    </Section>
  );
}
