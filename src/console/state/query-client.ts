import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { goToSignIn, isSignedOut } from "./go-to-sign-in.ts";

const leaveWhenSignedOut = (error: unknown): void => {
  if (isSignedOut(error)) goToSignIn();
};

/** The caller itself retries, with idempotency keys; a second layer of retries would multiply its attempts. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
