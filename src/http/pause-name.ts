/** Its name in the metrics, by which `doctor` finds it again. */
export const pauseName = "signalbox_event_loop_pause_seconds";
