export interface Setting<T> {
  /** Ours, or the standard name of OpenTelemetry. */
  name: `SIGNALBOX_${string}` | `OTEL_${string}`;
  flag?: `--${string}`;
  /** The text used if the setting is not set; null for none. */
  defaultText: string | null;
  means: string;
  read(text: string): T;
}

/** Keeps the type of the value. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
