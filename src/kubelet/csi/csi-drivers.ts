/** Upstream: pkg/kubelet/pluginmanager/operationexecutor, pkg/volume/csi/csi_plugin.go. */
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { registrationService } from "#/machinery/csi/plugin-registration.ts";
import { KeyedLock } from "#/std/async/keyed-lock.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { callMs } from "./call-limits.ts";
import { PluginSockets } from "./plugin-sockets.ts";

const log = logger("csi");
/** Limit of a call of the registration (ms). */
const requestMs = 10_000;

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

/** A plugin's description of itself. */
interface PluginInfo {
  readonly type: string;
  readonly name: string;
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

interface RegisteredDriver {
  readonly driver: CsiDriver;
  /** The socket by which it registered. Only this one can unregister it. */
  readonly path: string;
  /** The highest minor version of CSI 1 that it supports. */
  readonly minor: number;
}

/** The CSI drivers of this node, updated when they register or disappear. */
export class CsiDrivers {
  readonly #options: CsiDriversOptions;
  readonly #drivers = new Map<string, RegisteredDriver>();
  readonly #sockets: PluginSockets;
  /** Locks by name: the second of two drivers with one name sees the first. */
  readonly #names = new KeyedLock();

  constructor(options: CsiDriversOptions) {
    this.#options = options;
    this.#sockets = new PluginSockets({
      ...options,
      register: (path, signal) => this.#register(path, signal),
      unregister: (path) => this.#unregister(path),
    });
  }

  /** Throws if there is no such driver. */
  get(name: string): CsiDriver {
    const found = this.find(name);
    if (found !== undefined) return found;
    throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
  }

  find(name: string): CsiDriver | undefined {
    return this.#drivers.get(name)?.driver;
  }

  /** Follows drivers until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#sockets.run(signal);
    for (const { driver } of this.#drivers.values()) driver[Symbol.dispose]();
  }

  async #unregister(path: string): Promise<void> {
    for (const [name, { driver, path: own }] of this.#drivers) {
      if (own !== path) continue;
      driver[Symbol.dispose]();
      this.#drivers.delete(name);
      log.info("unregistered CSI driver", { driver: name });
      await this.#withdraw(name);
    }
  }

  async #withdraw(name: string): Promise<void> {
    await this.#options.unregistered(name).catch((error: unknown) => {
      log.error(error, "failed to unregister CSI driver", { driver: name });
    });
  }

  /** Registers the driver of a socket, and reports the result to it. */
  async #register(path: string, signal: AbortSignal): Promise<void> {
    using stack = new DisposableStack();
    const channel = openChannel({ address: `unix://${path}` });
    stack.defer(() => channel.close());
    const registration = serviceClient(registrationService, channel);
    const limits = { timeoutMs: requestMs, signal };
    const plugin = await registration.GetInfo({}, limits);
    try {
      await this.#names.run(plugin.name, () => this.#adopt(plugin, path, signal), signal);
    } catch (cause) {
      log.error(cause, "failed to register CSI driver", { driver: plugin.name, path });
      const error = `RegisterPlugin error -- ${(cause as Error).message}`;
      await registration.NotifyRegistrationStatus({ pluginRegistered: false, error }, limits);
      throw cause;
    }
    const status = { pluginRegistered: true, error: "" };
    await registration.NotifyRegistrationStatus(status, limits).catch(async (error: unknown) => {
      await this.#unregister(path);
      throw error;
    });
  }

  async #adopt(plugin: PluginInfo, path: string, signal: AbortSignal): Promise<void> {
    const { type, name, endpoint } = plugin;
    if (type !== "CSIPlugin") {
      throw new Error(`no handler registered for plugin type: ${type} at socket ${path}`);
    }
    const minor = this.#validate(plugin, path);
    const driver = await connect(name, endpoint || path, signal).catch((error: Error) => {
      throw new Error(`plugin registration failed with err: ${error.message}`, { cause: error });
    });
    try {
      await this.#options.registered(driver);
    } catch (error) {
      driver[Symbol.dispose]();
      // The driver of another socket stays published.
      if (!this.#drivers.has(name)) await this.#withdraw(name);
      const { message } = error as Error;
      throw new Error(`plugin registration failed with err: ${message}`, { cause: error });
    }
    this.find(name)?.[Symbol.dispose]();
    this.#drivers.set(name, { driver, path, minor });
    log.info("registered CSI driver", { driver: name, nodeID: driver.info.nodeID });
  }

  /** The highest minor version of a driver; throws if it is unknown, or if another driver has the name. */
  #validate({ name, supportedVersions: versions }: PluginInfo, path: string): number {
    const failed = (why: string) =>
      new Error(
        `plugin validation failed with err: ValidatePlugin for CSI driver ${goQuote(name)} failed. ${why}`,
      );
    const minors = versions.flatMap((version) => {
      const [, minor] = /^v?1\.(\d+)/.exec(version) ?? [];
      return minor === undefined ? [] : [Number(minor)];
    });
    if (minors.length === 0) {
      const list = versions.map(goQuote).join(" ");
      throw failed(`None of the versions specified [${list}] are supported.`);
    }
    const minor = minors.reduce((a, b) => Math.max(a, b));
    const held = this.#drivers.get(name);
    if (held === undefined || held.path === path || held.minor < minor) return minor;
    throw failed(
      `Another driver with the same name is already registered with a higher supported version: ${goQuote(`1.${held.minor}`)}`,
    );
  }
}

/** Connects to a driver and reads its description. */
async function connect(name: string, endpoint: string, signal: AbortSignal): Promise<CsiDriver> {
  using stack = new DisposableStack();
  const channel = openChannel({ address: `unix://${endpoint}` });
  stack.defer(() => channel.close());
  const node = serviceClient(nodeService, channel);
  const limits = { timeoutMs: callMs, signal };
  const info = await node.NodeGetInfo({}, limits);
  const { capabilities } = await node.NodeGetCapabilities({}, limits);
  const opened = stack.move();
  return {
    name,
    node,
    info: {
      nodeID: info.nodeId,
      maxVolumes: info.maxVolumesPerNode,
      topology: asRecord(info.accessibleTopology?.segments),
    },
    capabilities: new Set(capabilities.map(({ rpc }) => String(rpc?.type))),
    [Symbol.dispose]: () => opened.dispose(),
  };
}

function asRecord(entries: unknown): Record<string, string> {
  if (entries instanceof Map) return Object.fromEntries(entries);
  return { ...(entries as Record<string, string> | undefined) };
}
