import {
  activeUsers,
  allUsers,
  eventsNamed,
  first,
  type Metric,
  ratio,
  rollingUsers,
  usersWith,
  withKeyEvent,
} from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";
import type { Primitive } from "./primitives.ts";

const engagedSeconds: Primitive = {
  key: "engaged seconds",
  counts: {
    kind: "sum",
    of:
      ({ events }) =>
      (event) =>
        events.engagedSeconds[event] ?? 0,
  },
};
const rolling = { scope: "rolling" } as const;
const cohort = { scope: "cohort" } as const;

/** Who came, and who came back. */
export const userMetrics: Metric[] = [
  ...fields("User", [
    ["activeUsers", "Active users", "INTEGER", "People with an engaged or a first visit.", [activeUsers], first],
    ["totalUsers", "Total users", "INTEGER", "People with at least one event.", [allUsers], first],
    ["newUsers", "New users", "INTEGER", "People who came for the first time.", [eventsNamed("first_visit")], first],
    ["scrolledUsers", "Scrolled users", "INTEGER", "People who read a page to its end.", [usersWith("scroll")], first],
    [
      "active1DayUsers",
      "1-day active users",
      "INTEGER",
      "People active on the day.",
      [rollingUsers(1)],
      first,
      rolling,
    ],
    [
      "active7DayUsers",
      "7-day active users",
      "INTEGER",
      "People active in seven days.",
      [rollingUsers(7)],
      first,
      rolling,
    ],
    [
      "active28DayUsers",
      "28-day active users",
      "INTEGER",
      "People active in 28 days.",
      [rollingUsers(28)],
      first,
      rolling,
    ],
    [
      "dauPerMau",
      "DAU / MAU",
      "FLOAT",
      "Share of 28-day users active on the day.",
      [rollingUsers(1), rollingUsers(28)],
      ratio,
      rolling,
    ],
    [
      "dauPerWau",
      "DAU / WAU",
      "FLOAT",
      "Share of 7-day users active on the day.",
      [rollingUsers(1), rollingUsers(7)],
      ratio,
      rolling,
    ],
    [
      "wauPerMau",
      "WAU / MAU",
      "FLOAT",
      "Share of 28-day users active in seven days.",
      [rollingUsers(7), rollingUsers(28)],
      ratio,
      rolling,
    ],
    [
      "userEngagementDuration",
      "User engagement",
      "SECONDS",
      "Seconds with the site in front.",
      [engagedSeconds],
      first,
    ],
    [
      "userKeyEventRate",
      "User key event rate",
      "FLOAT",
      "Share of users with a key event.",
      ({ keyEvents }) => [withKeyEvent("users", keyEvents), allUsers],
      ratio,
      { deprecatedApiNames: ["userConversionRate"] },
    ],
    [
      "crashAffectedUsers",
      "Crash-affected users",
      "INTEGER",
      "People whose app crashed; websites have none.",
      [],
      () => 0,
    ],
    [
      "crashFreeUsersRate",
      "Crash-free users rate",
      "FLOAT",
      "Share of users without a crash.",
      [allUsers],
      ([users = 0]) => (users > 0 ? 1 : 0),
    ],
  ]),
  ...fields("Cohort", [
    [
      "cohortActiveUsers",
      "Cohort active users",
      "INTEGER",
      "People of the cohort who were active.",
      [activeUsers],
      first,
      cohort,
    ],
    [
      "cohortTotalUsers",
      "Cohort total users",
      "INTEGER",
      "People in the cohort.",
      [{ key: "cohort size", counts: { kind: "cohort size" } }],
      first,
      cohort,
    ],
  ]),
];
