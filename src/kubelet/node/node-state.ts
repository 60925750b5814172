import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ImageService } from "../cri/runtime-service.ts";
import type { Pressure } from "../state/pressure.ts";
import type { StoredValue } from "../state/stored-value.ts";
import { type FilesystemFacts, type MachineFacts, readFilesystem } from "./machine-facts.ts";
import type { CurrentState } from "./node-agent.ts";
import { type CapacitySettings, nodeAllocatable, nodeCapacity } from "./node-capacity.ts";
import { nodeImages } from "./node-images.ts";
import type { RuntimeCheck } from "./runtime-check.ts";
import { runtimeProblems } from "./runtime-health.ts";

interface NodeStateOptions {
  readonly images: Pick<ImageService, "ListImages">;
  readonly runtime: Pick<RuntimeCheck, "check" | "health" | "version">;
  readonly clock: Clock;
  readonly facts: MachineFacts;
  readonly capacity: CapacitySettings;
  /** `--root-dir`; its file system is the node's ephemeral storage. */
  readonly rootDirectory: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly externalCloudProvider: boolean;
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  readonly maxImages: number;
  readonly declaredFeatures: readonly string[];
  readonly volumes: { volumesInUse(): readonly string[] };
  readonly pressure: Pick<StoredValue<Pressure>, "value">;
  /** Further reasons why the node isn't ready. */
  problems(): readonly string[];
}

const log = logger("node-state");
/** Limit of a request to the runtime (ms). */
const requestMs = 10_000;

/** Reads the input of a node's status from the machine and the runtime. */
export class NodeState {
  readonly #options: NodeStateOptions;
  #filesystem: FilesystemFacts | undefined;

  constructor(options: NodeStateOptions) {
    this.#options = options;
  }

  async current(): Promise<CurrentState> {
    const { images, runtime, volumes, clock, capacity, rootDirectory, maxImages, ...rest } =
      this.#options;
    const { facts } = rest;
    await runtime.check();
    this.#filesystem ??= readFilesystem(rootDirectory);
    const total = nodeCapacity(facts, this.#filesystem, capacity);
    return {
      ...rest,
      capacity: total,
      allocatable: nodeAllocatable(total, capacity),
      runtimeVersion: runtime.version ?? "remote://Unknown",
      images: await this.#images(),
      runtime: runtime.health.status,
      volumesInUse: volumes.volumesInUse(),
      pressure: rest.pressure.value,
      problems: [...runtimeProblems(runtime.health, clock.now()), ...rest.problems()],
    };
  }

  async #images(): Promise<CurrentState["images"]> {
    const { maxImages } = this.#options;
    try {
      const { images } = await this.#options.images.ListImages({}, { timeoutMs: requestMs });
      return nodeImages(images, maxImages);
    } catch (error) {
      log.error(error, "failed to list images");
      return [];
    }
  }
}
