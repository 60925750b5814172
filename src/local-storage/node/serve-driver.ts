import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { controllerService } from "#/machinery/csi/csi-controller-service.ts";
import { registrationService } from "#/machinery/csi/plugin-registration.ts";
import { type ServedService, served, serveGrpc } from "#/std/grpc/grpc-server.ts";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Clock } from "#/std/time/clock.ts";
import { driverName } from "../base/names.ts";
import { type ControllerHandlers, controllerOf } from "../driver/controller.ts";
import { identity } from "../driver/identity.ts";
import { nodeOf } from "../driver/node.ts";
import type { Pool } from "../pool/pool.ts";
import type { TimeCalls } from "./storage-metrics.ts";

interface DriverOptions {
  readonly pool: Pool;
  readonly nodeName: string;
  readonly mounter: Mounter;
  readonly clock: Clock;
  /** The kubelet's folder. */
  readonly kubeletDir: string;
  /** Default: calls are not timed. */
  readonly timeCalls?: TimeCalls;
}

interface RunningDriver extends AsyncDisposable {
  readonly controller: ControllerHandlers;
}

const log = logger("local-storage");
const unchanged: TimeCalls = (calls) => calls;

/** Serves the driver of this node on a socket, and a second one by which the kubelet finds it. */
export async function serveDriver(options: DriverOptions): Promise<RunningDriver> {
  const { pool, nodeName, mounter, clock, kubeletDir, timeCalls = unchanged } = options;
  const folder = join(kubeletDir, "plugins", driverName);
  const registry = join(kubeletDir, "plugins_registry");
  const endpoint = join(folder, "csi.sock");
  const controller = timeCalls(controllerOf(pool, nodeName));
  await using servers = new AsyncDisposableStack();
  const serve = async (path: string, services: readonly ServedService[]) => {
    // An earlier process has left it, or the kubelet's folder was moved.
    await rm(path, { force: true });
    servers.use(await serveGrpc({ path, services, clock, failed: logFailure }));
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(registry, { recursive: true, mode: 0o750 });
  const node = nodeOf({ pool, nodeName, mounter });
  const timedNode = { ...node, handlers: timeCalls(node.handlers) };
  await serve(endpoint, [identity, served(controllerService, controller), timedNode]);
  await serve(join(registry, `${driverName}-reg.sock`), [registration(endpoint)]);
  log.info("serving CSI driver", { driver: driverName, endpoint });
  const opened = servers.move();
  return { controller, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function registration(endpoint: string): ServedService {
  return served(registrationService, {
    GetInfo: async () => ({
      type: "CSIPlugin",
      name: driverName,
      endpoint,
      supportedVersions: ["1.0.0"],
    }),
    async NotifyRegistrationStatus({ pluginRegistered, error }) {
      if (pluginRegistered) log.info("registered with the kubelet", { driver: driverName });
      else log.warning("the kubelet refused the driver", { driver: driverName, error });
      return {};
    },
  });
}

const logFailure = (call: string, { message }: Error): void =>
  log.v(2, "CSI call failed", { call, error: message });
