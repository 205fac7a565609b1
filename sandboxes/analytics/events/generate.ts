import { dayOf, monthOfYear, weekday } from "./calendar.ts";
import { devices } from "./devices.ts";
import {
  createEventColumns,
  createSessionColumns,
  type EventSet,
  type SessionColumns,
  trimmed,
  usersPerDayMax,
} from "./event-set.ts";
import { languages, places } from "./places.ts";
import { createPicker, mix, Random } from "./random.ts";
import { traffic } from "./traffic.ts";
import { createVisitWriter, eventsPerVisitMax, visitSecondsMax } from "./visit.ts";

export interface EventPlan {
  seed: number;
  /** 1 gives a hundred events a day at first and nine hundred when the shop has grown. */
  scale: number;
  firstDay: number;
  /** Nothing is collected on the first day before this second. */
  firstSecond: number;
  lastDay: number;
  /** The first day on which anybody visited; later than any earlier visit of a returning user. */
  openedDay: number;
}

const returnDaysMax = 120;
const growthStart = dayOf(2024, 11, 15);
const growthDays = 730;
const dayRandom = new Random();
const userRandom = new Random();
const visitRandom = new Random();
const pickPlace = createPicker(places.map((place) => place.weight));
const pickDevice = createPicker(devices.map((device) => device.weight));
const pickTraffic = createPicker(traffic.map((each) => each.weight));
// Evenings are busy, nights are thin, no hour is empty.
const pickHour = createPicker([7, 6, 6, 6, 6, 6, 7, 8, 9, 9, 10, 10, 11, 11, 10, 10, 10, 11, 12, 13, 13, 12, 10, 8]);
const languageNumber = new Map(languages.map((language, index) => [language.code, index]));

/** Each day depends on the seed and its own date alone, so a question about a day has the same answer whenever it is asked. */
export function generateEvents(plan: EventPlan): EventSet {
  const dayCount = plan.lastDay - plan.firstDay + 1;
  let sessionsMax = 0;
  for (let day = plan.firstDay; day <= plan.lastDay; day++) sessionsMax += Math.ceil(newUsersOn(plan, day) * 2.1);
  // A visit has eight events at the mean, so ten leave room for any two years.
  const events = createEventColumns(sessionsMax * 10 + 20 * eventsPerVisitMax);
  const sessions = createSessionColumns(sessionsMax);
  const writer = createVisitWriter(events, sessions);
  const dayStarts = new Uint32Array(dayCount + 1);
  const userDayZero = plan.firstDay - returnDaysMax;
  for (let day = plan.firstDay; day <= plan.lastDay; day++) {
    dayStarts[day - plan.firstDay] = writer.eventCount();
    writeDay(plan, day, userDayZero, sessions, writer);
  }
  dayStarts[dayCount] = writer.eventCount();
  return {
    firstDay: plan.firstDay,
    lastDay: plan.lastDay,
    dayStarts,
    events: trimmed(events, writer.eventCount()),
    sessions: trimmed(sessions, writer.sessionCount()),
    userCount: (plan.lastDay - userDayZero + 1) * usersPerDayMax,
    userDayZero,
  };
}

type VisitWriter = ReturnType<typeof createVisitWriter>;

function writeDay(plan: EventPlan, day: number, userDayZero: number, sessions: SessionColumns, writer: VisitWriter) {
  const random = dayRandom.seed(mix(plan.seed, day));
  const newUsers = newUsersOn(plan, day);
  const returning = Math.min(usersPerDayMax, Math.round(newUsers * (0.75 + random.next() * 0.3)));
  for (let visitor = 0; visitor < newUsers + returning; visitor++) {
    const isNew = visitor < newUsers;
    // Most come back within two weeks, some after months.
    const daysAgo = isNew ? 0 : Math.min(returnDaysMax, 1 + Math.floor(-Math.log(1 - random.next()) * 14));
    const userDay = day - daysAgo;
    const userIndex = isNew ? visitor : random.below(newUsersOn(plan, userDay));
    const start = pickHour(random) * 3600 + random.below(3600);
    const startSecond = Math.min(start, 86_399 - visitSecondsMax);
    const visitSeed = random.fork();
    if (userDay < plan.openedDay) continue;
    if (day === plan.openedDay && startSecond < plan.firstSecond) continue;
    const session = writer.sessionCount();
    sessions.day[session] = day;
    sessions.isNew[session] = isNew ? 1 : 0;
    sessions.user[session] = (userDay - userDayZero) * usersPerDayMax + userIndex;
    describeUser(sessions, session, mix(plan.seed, userDay, userIndex + 1));
    writer.write(session, startSecond, visitRandom.seed(visitSeed), isNew);
  }
}

/** What stays with a user: place, device, language, first source and traits all come out of the user's number. */
function describeUser(sessions: SessionColumns, session: number, userSeed: number): void {
  const random = userRandom.seed(userSeed);
  const place = pickPlace(random);
  sessions.place[session] = place;
  sessions.device[session] = pickDevice(random);
  const native = languageNumber.get(places[place]?.language ?? "") ?? 0;
  sessions.language[session] = random.chance(0.88) ? native : 0;
  const first = pickTraffic(random);
  sessions.firstTraffic[session] = first;
  sessions.traffic[session] = first;
  sessions.traits[session] = random.below(84);
}

/** A young shop that grows for two years and then stays; busier on Sundays and before Christmas, with a little noise. */
function newUsersOn(plan: EventPlan, day: number): number {
  const grown = Math.min(1, Math.max(0, (day - growthStart) / growthDays));
  const base = 8 + 44 * grown * grown;
  const byWeekday = [1.2, 1.02, 0.96, 0.94, 0.95, 0.92, 1.05][weekday(day)] ?? 1;
  const byMonth = [1, 0.95, 0.97, 1, 1.02, 0.95, 0.86, 0.84, 1, 1.06, 1.22, 1.26][monthOfYear(day)] ?? 1;
  const noise = 0.85 + ((mix(plan.seed, day, 77) >>> 8) / 16777216) * 0.3;
  return Math.max(1, Math.min(usersPerDayMax - 1, Math.round(base * plan.scale * byWeekday * byMonth * noise)));
}
