import type { Region } from "../kernel/regions.ts";
import type { ClientSetting, Consent } from "./sign-in.ts";

/** The two settings that every OAuth client has. `application` is what the operator registers at the vendor. */
export const clientSettings = (application: string): Pick<Consent["client"], "id" | "secret"> => ({
  id: {
    name: "CLIENT_ID",
    means: `Client id of ${application}, to connect live accounts in a pop-up. Register it at the vendor with the redirect address \`<base address>/oauth/callback\`.`,
  },
  secret: { name: "CLIENT_SECRET", means: "The secret of that client." },
});

export const clientSettingName = (system: string, { name }: ClientSetting, region: Region): `SIGNALBOX_${string}` =>
  `SIGNALBOX_${system.toUpperCase()}_${name}_${region.toUpperCase()}`;
