/** The dated name of the contract behind `latest`; it changes when something is added. */
export const contractVersion = "2026-11-15";
