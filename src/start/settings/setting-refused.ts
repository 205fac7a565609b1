/** A setting that cannot be used, as a sentence that says which and why. */
export class SettingRefused extends Error {}
