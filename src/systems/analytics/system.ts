import { methods, type System } from "../define.ts";
import { failure } from "./failure.ts";
import { demands, told } from "./quota.ts";
import { resolve, resources } from "./resources.ts";

export const analytics: System = {
  id: "analytics",
  title: "Web analytics",
  vendor: "Google Analytics 4",
  words: [
    "google analytics",
    "ga4",
    "ga",
    "analytics",
    "web statistics",
    "traffic",
    "visitors",
    "page views",
    "sessions",
    "conversions",
    "reports",
    "reporting",
    "metrics",
    "property",
  ],
  methods,
  // Two hosts for two APIs whose paths do not collide; a sandbox serves both at one address.
  live: { data: "https://analyticsdata.googleapis.com", admin: "https://analyticsadmin.googleapis.com" },
  apis: ["data", "admin"],
  complete: (request) => request,
  failure,
  demands,
  told,
  resources,
  resolve,
};
