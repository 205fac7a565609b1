import { fetchPage } from "./pages/page-scripts.ts";
import { askEarly } from "./state/early-read.ts";

/**
 * The first script, and a small one. The frame of the page is drawn before the program, which occupies the processor for a while,
 * begins. Meanwhile the script of the page arrives, and the first answer.
 */

const begin = () => void import("./main.tsx");

askEarly();
fetchPage(window.location.pathname);
// A page in the background draws nothing.
if (document.hidden) begin();
else requestAnimationFrame(() => setTimeout(begin));
