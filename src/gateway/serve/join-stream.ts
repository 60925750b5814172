import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { systemRandom } from "#/std/base/random.ts";
import { joinConnections } from "#/std/net/join-connections.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backends } from "../backends/backends.ts";
import { type BackendAddress, connectBackend, whenReady } from "../outgoing/connect-backend.ts";
import type { WeightedBackend } from "../table/route-target.ts";
import { chooseByWeight } from "./plan-forward.ts";

/** Limit of the time for a connection to an endpoint (ms); then the next one is tried. */
const connectMs = 5_000;
/** Limit of endpoints that are tried for a connection (count). */
const maxAttempts = 3;

interface JoinOptions {
  readonly backends: Backends;
  readonly clock: Clock;
  /** Whether the client's own TLS reaches the backend: then the gateway adds none. */
  readonly isPassthrough: boolean;
}

/** Joins a client's connection with one to a backend; ends it if there is none. Does not reject. */
export async function joinStream(
  client: Duplex,
  choices: readonly WeightedBackend[],
  { backends, clock, isPassthrough }: JoinOptions,
): Promise<void> {
  client.on("error", () => client.destroy());
  const ref = chooseByWeight(choices, systemRandom)?.ref;
  for (const endpoint of ref ? backends.choose(ref).slice(0, maxAttempts) : []) {
    const { tls } = endpoint;
    const backend = await connectTo({ ...endpoint, tls: isPassthrough ? undefined : tls }, clock);
    if (!backend) continue;
    if (client.destroyed) backend.destroy();
    else joinConnections(client, backend);
    return;
  }
  client.destroy();
}

/** A connection; undefined if the endpoint can't be reached. */
function connectTo(endpoint: BackendAddress, clock: Clock): Promise<Socket | undefined> {
  const socket = connectBackend(endpoint, undefined);
  return new Promise((resolve) => {
    const fail = (): void => {
      limit.cancel();
      socket.destroy();
      resolve(undefined);
    };
    const limit = clock.setTimer(connectMs, fail, { keepAlive: false });
    socket.once("error", fail);
    whenReady(socket, endpoint, () => {
      limit.cancel();
      socket.off("error", fail);
      resolve(socket);
    });
  });
}
