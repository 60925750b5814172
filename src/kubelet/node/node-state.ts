import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import { type FilesystemFacts, type MachineFacts, readFilesystem } from "./machine-facts.ts";
import type { CurrentState } from "./node-agent.ts";
import { type CapacitySettings, nodeAllocatable, nodeCapacity } from "./node-capacity.ts";
import type { Pressure } from "./node-conditions.ts";
import { nodeImages } from "./node-images.ts";
import { isRuntimeReady, type RuntimeHealth, runtimeProblems } from "./runtime-health.ts";

export interface NodeStateOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly facts: MachineFacts;
  readonly capacity: CapacitySettings;
  /** `--root-dir`, whose file system gives ephemeral storage. */
  readonly rootDirectory: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly externalCloudProvider: boolean;
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  readonly maxImages: number;
  readonly declaredFeatures: readonly string[];
  volumesInUse(): readonly string[];
  pressure(): Pressure;
  /** Further reasons why the node isn't ready. */
  problems(): readonly string[];
}

const log = logger("node-state");
const requestMs = 10_000;
/** As upstream's. */
const checkMs = 5_000;

/** Asks the machine and the runtime for what a node's status says. */
export class NodeState {
  readonly #options: NodeStateOptions;
  #health: RuntimeHealth = { status: undefined, lastReadyMs: 0 };
  #version: string | undefined;
  #filesystem: FilesystemFacts | undefined;

  constructor(options: NodeStateOptions) {
    this.#options = options;
  }

  get health(): RuntimeHealth {
    return this.#health;
  }

  async current(): Promise<CurrentState> {
    const { cri, clock, facts, capacity, rootDirectory, maxImages, ...rest } = this.#options;
    await this.checkRuntime();
    this.#filesystem ??= readFilesystem(rootDirectory);
    const total = nodeCapacity(facts, this.#filesystem, capacity);
    return {
      ...rest,
      facts,
      capacity: total,
      allocatable: nodeAllocatable(total, capacity),
      runtimeVersion: this.#version ?? "remote://Unknown",
      images: await this.#images(),
      runtime: this.#health.status,
      volumesInUse: rest.volumesInUse(),
      pressure: rest.pressure(),
      problems: [...runtimeProblems(this.#health, clock.now()), ...rest.problems()],
    };
  }

  /** Asks the runtime how it is, whether or not the API server can be told. */
  async checkRuntime(): Promise<void> {
    const { cri, clock } = this.#options;
    try {
      if (this.#version === undefined) {
        const version = await cri.runtime.Version({ version: "v1" }, { timeoutMs: requestMs });
        const { runtimeName, runtimeVersion } = version;
        this.#version = `${runtimeName}://${runtimeVersion.replace(/^v/, "")}`;
      }
      const status = await cri.runtime.Status({}, { timeoutMs: requestMs });
      const lastReadyMs = isRuntimeReady(status) ? clock.now() : this.#health.lastReadyMs;
      this.#health = { status, lastReadyMs };
    } catch (error) {
      log.error(error, "Container runtime sanity check failed");
    }
  }

  /** Keeps the runtime's health in view until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.checkRuntime();
      await this.#options.clock.sleep(checkMs, signal).catch(() => undefined);
    }
  }

  async #images(): Promise<CurrentState["images"]> {
    const { cri, maxImages } = this.#options;
    try {
      const { images } = await cri.images.ListImages({}, { timeoutMs: requestMs });
      return nodeImages(images, maxImages);
    } catch (error) {
      log.error(error, "Listing images failed");
      return [];
    }
  }
}
