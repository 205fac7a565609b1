import { Tabs } from "@mantine/core";
import { Suspense } from "react";
import { useSearchState } from "../../state/use-search-state.ts";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Page } from "../../ui/Page.tsx";
import { Accounts } from "./accounts/Accounts.tsx";

const Keys = lazyWhenIdle(async () => (await import("./keys/Keys.tsx")).Keys);

export function IntegrationsPage() {
  const [tab, setTab] = useSearchState("tab");
  return (
    <Page
      title="Integrations & API Keys"
      lead="Accounts that steps use at the three systems, and the keys with which programs call this service."
    >
      <Tabs
        value={tab === "keys" ? "keys" : "accounts"}
        onChange={(next) => setTab(next === "keys" ? "keys" : "")}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="accounts">Connected accounts</Tabs.Tab>
          <Tabs.Tab value="keys">API keys</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="accounts">
          <Accounts />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <Suspense>
            <Keys />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
