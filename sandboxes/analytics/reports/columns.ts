import { type EventSet, usersPerDayMax } from "../events/event-set.ts";
import { eventCode } from "../events/site.ts";

export type ColumnName =
  | "nothing"
  | "transaction"
  | "day"
  | "dayHour"
  | "dayMinute"
  | "eventName"
  | "page"
  | "pageQuery"
  | "item"
  | "eventDetail"
  | "place"
  | "device"
  | "language"
  | "traffic"
  | "firstTraffic"
  | "landing"
  | "landingQuery"
  | "isNew"
  | "traits"
  | "userDay";

/** Number of variants of a query string plus one, to put page and variant into one number. */
export const queryRadix = 512;
export const detailRadix = 16;

const purchase = eventCode("purchase");

type Reader = (event: number) => number;

/** Every dimension stands on one of these: a small number for each event, told by the event, its session or its user. */
export function columnReader({ events, sessions, userDayZero }: EventSet, name: ColumnName): Reader {
  const { session, second } = events;
  const ofEvent =
    (column: ArrayLike<number>): Reader =>
    (event) =>
      column[event] ?? 0;
  const ofSession =
    (column: ArrayLike<number>): Reader =>
    (event) =>
      column[session[event] ?? 0] ?? 0;
  const day = ofSession(sessions.day);
  switch (name) {
    case "nothing":
      return () => 0;
    case "transaction":
      return (event) => (events.name[event] === purchase ? day(event) * 86_400 + (second[event] ?? 0) : 0);
    case "day":
      return day;
    case "dayHour":
      return (event) => day(event) * 24 + Math.floor((second[event] ?? 0) / 3600);
    case "dayMinute":
      return (event) => day(event) * 1440 + Math.floor((second[event] ?? 0) / 60);
    case "eventName":
      return ofEvent(events.name);
    case "page":
      return ofEvent(events.page);
    case "pageQuery":
      return (event) => (events.page[event] ?? 0) * queryRadix + (events.query[event] ?? 0);
    case "item":
      return ofEvent(events.item);
    case "eventDetail":
      return (event) => (events.name[event] ?? 0) * detailRadix + (events.detail[event] ?? 0);
    case "landingQuery": {
      const landing = ofSession(sessions.landing);
      const query = ofSession(sessions.landingQuery);
      return (event) => landing(event) * queryRadix + query(event);
    }
    case "userDay": {
      const user = ofSession(sessions.user);
      return (event) => userDayZero + Math.floor(user(event) / usersPerDayMax);
    }
    default:
      return ofSession(sessions[name]);
  }
}
