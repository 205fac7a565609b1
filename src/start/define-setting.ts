export interface Setting<T> {
  name: `SIGNALBOX_${string}`;
  flag?: `--${string}`;
  /** The text used if the setting is not set; null for none. */
  defaultText: string | null;
  means: string;
  read(text: string): T;
}

/** Keeps the type of the value. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
