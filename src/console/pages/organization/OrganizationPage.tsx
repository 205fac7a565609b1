import { Tabs } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useSearchState } from "../../state/use-search-state.ts";
import { useWho } from "../../state/who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import { DirectoryTab } from "./directory/DirectoryTab.tsx";
import { GeneralTab } from "./general/GeneralTab.tsx";
import { PoliciesTab } from "./PoliciesTab.tsx";
import { SessionsTab } from "./SessionsTab.tsx";
import { SignOnTab } from "./sign-on/SignOnTab.tsx";
import { WebhooksTab } from "./webhooks/WebhooksTab.tsx";

interface TabPage {
  title: string;
  /** Only an owner of the organization uses it. */
  isForOwners: boolean;
  part: () => ReactNode;
}

const tabs: Record<string, TabPage> = {
  general: { title: "General", isForOwners: false, part: () => <GeneralTab /> },
  "sign-on": { title: "Single sign-on", isForOwners: true, part: () => <SignOnTab /> },
  directory: { title: "Directory", isForOwners: true, part: () => <DirectoryTab /> },
  webhooks: { title: "Webhooks", isForOwners: false, part: () => <WebhooksTab /> },
  policies: { title: "Policies", isForOwners: true, part: () => <PoliciesTab /> },
  sessions: { title: "Sessions", isForOwners: false, part: () => <SessionsTab /> },
};

/** `?tab=` says which part is open. */
export function OrganizationPage() {
  const [chosen, setTab] = useSearchState("tab");
  const { data: who } = useWho();
  const tab = chosen in tabs ? chosen : "general";
  // On a narrow screen the open tab may be out of sight.
  useEffect(() => {
    document.getElementById(`part-${tab}`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [tab]);
  const isOwner = who === undefined || who.user.organization_role === "owner";
  return (
    <Page
      title="Organization"
      lead="What applies to all projects: how people sign in, what they may do, and where events are sent."
    >
      <Tabs value={tab} onChange={(value) => setTab(value === "general" ? "" : (value ?? ""))} keepMounted={false}>
        <Tabs.List mb="lg" className="tabs-scroll">
          {Object.entries(tabs).map(([value, { title }]) => (
            <Tabs.Tab key={value} value={value}>
              <span id={`part-${value}`}>{title}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(tabs).map(([value, { isForOwners, part }]) => (
          <Tabs.Panel key={value} value={value}>
            {isForOwners && !isOwner ? (
              <Empty title="Only an owner of the organization can see this">
                Ask an owner to change it, or to make you one.
              </Empty>
            ) : (
              part()
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
