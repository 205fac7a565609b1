import { Skeleton, Tabs } from "@mantine/core";
import { type ReactNode, Suspense, useEffect } from "react";
import { useSearchState } from "../../state/use-search-state.ts";
import { useWho } from "../../state/use-who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Page } from "../../ui/Page.tsx";
import { GeneralTab } from "./general/GeneralTab.tsx";

const DirectoryTab = lazyWhenIdle(async () => (await import("./directory/DirectoryTab.tsx")).DirectoryTab);
const PoliciesTab = lazyWhenIdle(async () => (await import("./PoliciesTab.tsx")).PoliciesTab);
const RetentionTab = lazyWhenIdle(async () => (await import("./retention/RetentionTab.tsx")).RetentionTab);
const SessionsTab = lazyWhenIdle(async () => (await import("./SessionsTab.tsx")).SessionsTab);
const SignOnTab = lazyWhenIdle(async () => (await import("./sign-on/SignOnTab.tsx")).SignOnTab);
const WebhooksTab = lazyWhenIdle(async () => (await import("./webhooks/WebhooksTab.tsx")).WebhooksTab);

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
  retention: { title: "Retention", isForOwners: true, part: () => <RetentionTab /> },
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
        {Object.entries(tabs).map(([value, { title, isForOwners, part }]) => (
          <Tabs.Panel key={value} value={value}>
            {isForOwners && !isOwner ? (
              <Empty title="Only an owner of the organization can see this">
                Ask an owner to change it, or to make you one.
              </Empty>
            ) : (
              <Suspense
                fallback={<Skeleton height={320} role="status" aria-busy="true" aria-label={`Loading ${title}`} />}
              >
                {part()}
              </Suspense>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
