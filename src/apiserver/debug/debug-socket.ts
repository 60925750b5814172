import { chmod, rm } from "node:fs/promises";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { Paths } from "../http/paths.ts";
import { ApiHttpServer } from "../http/server.ts";
import { textReply } from "../model/exchange.ts";
import { addProfiles } from "./profile-paths.ts";
import { addVerbosity } from "./verbosity-path.ts";

/**
 * Serves profiles and the verbosity of the log at a unix socket, to every process that may open it
 * (--debug-socket-path): for a server on which authentication does not work yet.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/routes/debugsocket.go.
 */
export async function openDebugSocket(
  path: string,
  clock: Clock,
  log: Logger,
): Promise<AsyncDisposable> {
  const paths = new Paths();
  addProfiles(paths, clock, true);
  addVerbosity(paths);
  const server = new ApiHttpServer({
    clock,
    http2: false,
    handler: async (exchange) =>
      (await paths.find(exchange.path)?.(exchange)) ?? textReply(404, "404 page not found\n"),
    onError: (error) => log.error(error, "failed to write reply"),
  });
  await rm(path, { force: true });
  await server.listenAtSocket(path);
  // A snapshot of the heap has every Secret.
  await chmod(path, 0o600);
  return server;
}
