/** Limit of a call that works on a volume (ms), as upstream's. */
export const callMs = 2 * 60_000;
