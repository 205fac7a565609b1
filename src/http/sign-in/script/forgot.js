import { call } from "./call.js";
import { byId, onSubmit, showStep } from "./page.js";

onSubmit(
  "forgot-form",
  "message",
  async () => {
    const email = byId("email").value.trim();
    await call("auth/password/forgot", { email });
    byId("sent-to").textContent = email;
    showStep("step-sent");
  },
  { email: "email" },
);
byId("email").focus();
