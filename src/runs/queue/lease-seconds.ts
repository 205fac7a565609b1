/** A worker's lease on its runs, unless the operator sets SIGNALBOX_LEASE_SECONDS. The worker renews it after each third of it. */
export const leaseSecondsDefault = 30;
export const leaseSecondsMax = 3600;
