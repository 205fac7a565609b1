import { ask } from "./ask.js";
import { call } from "./call.js";
import { confirmed } from "./confirm.js";
import { byId, make, onClick, onSubmit } from "./page.js";

/** Setting up one-time codes: the picture, the first code, and the recovery codes. */

const svg = "http://www.w3.org/2000/svg";

/** The picture comes as rows of ones and zeros. */
function draw(rows) {
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "A QR code for your authenticator app; the secret beside it says the same.");
  picture.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(svg, "path");
  const squares = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  path.setAttribute("d", squares.join(""));
  path.setAttribute("fill", "#000");
  picture.append(path);
  byId("qr").replaceChildren(picture);
}

export function prepareCodes(onChange) {
  const showOnly = (part) => {
    byId("codes-buttons").hidden = part !== "codes-buttons";
    byId("codes-setup").hidden = part !== "codes-setup";
    byId("recovery").hidden = part !== "recovery";
  };

  onClick("codes-begin", "message", async () => {
    const { secret, qr } = await confirmed(() => call("auth/codes/begin"));
    draw(qr);
    byId("codes-secret").textContent = secret.match(/.{1,4}/g).join(" ");
    byId("app-code").value = "";
    showOnly("codes-setup");
    byId("codes-setup-title").focus();
  });
  onClick("codes-cancel", "message", async () => {
    showOnly("codes-buttons");
    byId("codes-begin").focus();
  });
  onSubmit(
    "codes-form",
    "message",
    async () => {
      const code = byId("app-code").value.replaceAll(/\s/g, "");
      const { recovery_codes: codes } = await confirmed(() => call("auth/codes/confirm", { code }));
      byId("codes-secret").textContent = "";
      byId("qr").replaceChildren();
      byId("recovery-codes").replaceChildren(...codes.map((text) => make("li", { text })));
      showOnly("recovery");
      byId("recovery-title").focus();
      await onChange();
    },
    { code: "app-code" },
  );
  byId("codes-remove").addEventListener("click", async () => {
    const isDone = await ask({
      title: "Turn off one-time codes?",
      text: "Signing in with your password asks for no code any more, and your recovery codes stop working.",
      action: "Turn off the codes",
      work: () => confirmed(() => call("auth/codes/remove")),
    });
    if (!isDone) return byId("codes-remove").focus();
    await onChange();
    byId("codes-begin").focus();
  });
  onClick("recovery-copy", "message", async () => {
    const lines = [...byId("recovery-codes").children].map((line) => line.textContent);
    await navigator.clipboard.writeText(lines.join("\n"));
    byId("recovery-copy").textContent = "Copied";
  });
  onClick("recovery-done", "message", async () => {
    byId("recovery-codes").replaceChildren();
    byId("recovery-copy").textContent = "Copy them";
    showOnly("codes-buttons");
    byId("codes-title").scrollIntoView({ block: "nearest" });
  });
}
