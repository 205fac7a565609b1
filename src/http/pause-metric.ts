/** The name of the metric, which `doctor` reads. */
export const pauseName = "signalbox_event_loop_pause_seconds";
