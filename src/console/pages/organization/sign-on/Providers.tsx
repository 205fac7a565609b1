import { Button, Text } from "@mantine/core";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import type { useList } from "../../../state/use-read.ts";
import { useChangeSearch, useOpenState, useSearchState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { AddProvider } from "./AddProvider.tsx";
import { kindOf, stateOf } from "./describe-provider.ts";
import { ProviderDrawer } from "./ProviderDrawer.tsx";

interface ProvidersProps {
  list: ReturnType<typeof useList<"/latest/single_sign_on/list">>;
}

/** The organization's identity providers. `?provider=` opens one, `?new=provider` adds one. */
export function Providers({ list }: ProvidersProps) {
  const [open, setOpen] = useOpenState("provider");
  const [isNew, setNew] = useSearchState("new");
  const change = useChangeSearch();
  const add = <Button onClick={() => setNew("provider")}>Add an identity provider</Button>;
  return (
    <Section
      title="Identity providers"
      lead="People sign in at Entra ID, Okta, Google, Keycloak or another provider, by OpenID Connect or SAML."
      actions={list.rows && list.rows.length > 0 ? add : null}
    >
      <LoadedList
        label="Identity providers"
        list={list}
        keyOf={({ provider_id }) => provider_id}
        onOpen={({ provider_id }) => setOpen(provider_id)}
        empty={
          <Empty title="No single sign-on yet" action={add}>
            Passwords and passkeys work without it. Add a provider, test it, verify your domain; then you can require
            it.
          </Empty>
        }
        columns={[
          {
            title: "Name",
            cell: ({ label, issuer, entity_id }) => (
              <>
                <Text size="sm" fw={600} dir="auto">
                  {label}
                </Text>
                <Text size="xs" c="dimmed" className="mono anywhere">
                  {issuer ?? entity_id}
                </Text>
              </>
            ),
          },
          { title: "Protocol", isExtra: true, width: "9rem", cell: kindOf },
          { title: "State", width: "7rem", cell: (provider) => <StateBadge {...stateOf(provider)} /> },
          {
            title: "",
            width: "6rem",
            align: "right",
            cell: ({ provider_id, label }) => (
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={`Open ${label}`}
                onClick={() => setOpen(provider_id)}
              >
                Open
              </Button>
            ),
          },
        ]}
      />
      {isNew === "provider" ? (
        <AddProvider onClose={() => setNew("")} onDone={(providerId) => change({ new: "", provider: providerId })} />
      ) : null}
      {open === "" ? null : <ProviderDrawer providerId={open} onClose={() => setOpen("")} />}
    </Section>
  );
}
