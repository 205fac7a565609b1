import { useState } from "react";

/**
 * True from the first time on. What waits for several reads stays once it was shown: a read that failed is pending again while it
 * is repeated, and the page would come and go with each try.
 */
export function useOnceTrue(isTrue: boolean): boolean {
  const [was, setWas] = useState(isTrue);
  if (isTrue && !was) setWas(true);
  return was || isTrue;
}
