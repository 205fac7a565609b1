/** How the server names itself to assistants. */
export const serverInfo = { name: "signalbox", title: "Signalbox", version: "0.1.0" };
