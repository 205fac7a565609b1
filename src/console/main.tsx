import "@mantine/core/styles.css";
import "./console.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./routes.tsx";
import { closeTopmostOnly } from "./shell/close-on-escape.ts";
import { queryClient } from "./state/query-client.ts";
import { theme, themeVariables } from "./theme.ts";

/** The policy of the page allows styles with this nonce alone. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// The library that locks scrolling behind a dialog reads it from here.
setNonce(nonce);
closeTopmostOnly();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element for the console.");

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
