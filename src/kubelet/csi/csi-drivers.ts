/** Upstream: pkg/kubelet/pluginmanager, pkg/volume/csi/csi_plugin.go. */
import { watch } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { goQuote } from "#/std/go/go-quote.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { nodeService, registrationService } from "./csi-service.ts";

const log = logger("csi");
const requestMs = 10_000;
/** Limit of the time until a socket is found that the file system didn't report (ms). */
const checkMs = 5_000;

/** A driver's information about this node. */
interface DriverInfo {
  readonly nodeID: string;
  /** 0 for no limit. */
  readonly maxVolumes: number;
  readonly topology: Readonly<Record<string, string>>;
}

export interface CsiDriver extends Disposable {
  readonly name: string;
  readonly node: ServiceClient<typeof nodeService>;
  readonly info: DriverInfo;
  /** Optional capabilities of the driver. */
  readonly capabilities: ReadonlySet<string>;
}

interface CsiDriversOptions {
  /** plugins_registry, where drivers create the sockets by which they register. */
  readonly directory: string;
  readonly clock: Clock;
  /** Publishes the driver in the cluster; called again whenever it registers again. */
  registered(driver: CsiDriver): Promise<void>;
  unregistered(name: string): Promise<void>;
}

/** The CSI drivers of this node, updated when they register or disappear. */
export class CsiDrivers {
  readonly #options: CsiDriversOptions;
  readonly #drivers = new Map<string, CsiDriver>();
  /** Sockets that have been handled: the driver's name, and when the socket was created. */
  readonly #sockets = new Map<string, { name: string; madeMs: number }>();

  constructor(options: CsiDriversOptions) {
    this.#options = options;
  }

  /** Throws if there is no such driver. */
  get(name: string): CsiDriver {
    const found = this.#drivers.get(name);
    if (found !== undefined) return found;
    throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
  }

  find(name: string): CsiDriver | undefined {
    return this.#drivers.get(name);
  }

  /** Looks for sockets until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { directory, clock } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o750 });
    let wake: (() => void) | undefined;
    const watcher = watch(directory, { persistent: false, signal }, () => wake?.());
    watcher.on("error", () => undefined);
    while (!signal.aborted) {
      await this.#look();
      const woken = new AbortController();
      wake = () => woken.abort();
      const either = AbortSignal.any([signal, woken.signal]);
      await clock.sleep(checkMs, either).catch(() => undefined);
    }
    for (const driver of this.#drivers.values()) driver[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const { directory } = this.#options;
    const present = new Map<string, number>();
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (!entry.isSocket() || entry.name.startsWith(".")) continue;
      const path = join(directory, entry.name);
      const made = await stat(path).catch(() => undefined);
      if (made !== undefined) present.set(path, made.ctimeMs);
    }
    for (const [path, { name, madeMs }] of this.#sockets) {
      if (present.get(path) === madeMs) continue;
      this.#sockets.delete(path);
      if (!present.has(path)) await this.#unregister(name);
    }
    for (const [path, madeMs] of present) {
      if (!this.#sockets.has(path)) await this.#register(path, madeMs);
    }
  }

  async #unregister(name: string): Promise<void> {
    this.#drivers.get(name)?.[Symbol.dispose]();
    if (!this.#drivers.delete(name)) return;
    log.info("unregistered CSI driver", { driver: name });
    await this.#options.unregistered(name).catch((error: unknown) => {
      log.error(error, "failed to unregister CSI driver", { driver: name });
    });
  }

  async #register(path: string, madeMs: number): Promise<void> {
    const channel = openChannel({ address: `unix://${path}` });
    const registration = serviceClient(registrationService, channel);
    try {
      const plugin = await registration.GetInfo({}, { timeoutMs: requestMs });
      this.#sockets.set(path, { name: plugin.name, madeMs });
      if (plugin.type !== "CSIPlugin") return;
      let error = "";
      try {
        if (!plugin.supportedVersions.some((version) => /^v?1(\.|$)/.test(version))) {
          const versions = plugin.supportedVersions.join(" ");
          throw new Error(
            `validating driver ${goQuote(plugin.name)}: none of the CSI versions ${goQuote(versions)} are supported`,
          );
        }
        await this.#adopt(plugin.name, plugin.endpoint || path);
      } catch (cause) {
        error = (cause as Error).message;
        log.error(cause, "failed to register CSI driver", { driver: plugin.name });
      }
      const status = { pluginRegistered: error === "", error };
      await registration.NotifyRegistrationStatus(status, { timeoutMs: requestMs });
    } catch (error) {
      log.v(2, "waiting for registration of plugin", { path, error: (error as Error).message });
    } finally {
      channel.close();
    }
  }

  async #adopt(name: string, endpoint: string): Promise<void> {
    const channel = openChannel({ address: `unix://${endpoint}` });
    const node = serviceClient(nodeService, channel);
    const info = await node.NodeGetInfo({}, { timeoutMs: requestMs });
    const { capabilities } = await node.NodeGetCapabilities({}, { timeoutMs: requestMs });
    const driver: CsiDriver = {
      name,
      node,
      info: {
        nodeID: info.nodeId,
        maxVolumes: info.maxVolumesPerNode,
        topology: asRecord(info.accessibleTopology?.segments),
      },
      capabilities: new Set(capabilities.map(({ rpc }) => String(rpc?.type))),
      [Symbol.dispose]: () => channel.close(),
    };
    this.#drivers.get(name)?.[Symbol.dispose]();
    this.#drivers.set(name, driver);
    await this.#options.registered(driver);
    log.info("registered CSI driver", { driver: name, nodeID: info.nodeId });
  }
}

function asRecord(entries: unknown): Record<string, string> {
  if (entries instanceof Map) return Object.fromEntries(entries);
  return { ...(entries as Record<string, string> | undefined) };
}
