/** A server, and what is known of its health. */
export interface ServerState {
  readonly address: string;
  /** Undefined before the first check. */
  readonly isUp: boolean | undefined;
  /** Since when it is up or down (monotonic ms). */
  readonly sinceMs: number;
}

interface Choice {
  readonly servers: readonly ServerState[];
  /** The server that is used; undefined before the first choice. */
  readonly current: string | undefined;
  /** The server of this machine. */
  readonly own: string | undefined;
  readonly nowMs: number;
}

/** How long (ms) the own server must work before connections return to it: one that starts again and again is not used. */
const settledMs = 5_000;

/** The server to use: the own one once it works steadily, else the present one while it works, else another that works. Pure. */
export function chooseServer({ servers, current, own, nowMs }: Choice): string | undefined {
  const find = (address: string | undefined): ServerState | undefined =>
    servers.find((server) => server.address === address);
  const [mine, present] = [find(own), find(current)];
  const isSettled = mine?.isUp === true && nowMs - mine.sinceMs >= settledMs;
  if (mine && (isSettled || !present)) return mine.address;
  if (present && present.isUp !== false) return present.address;
  const working = servers.find(({ isUp }) => isUp === true);
  // Without any that works, each may be the first to come back.
  return (working ?? present ?? servers[0])?.address;
}
